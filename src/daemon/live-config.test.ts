import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { LiveConfig } from "./live-config.ts"

let above: string
let home: string
let file: string

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), "coppice-config-"))
  home = join(above, "home")
  file = join(home, "coppice.yml")
  mkdirSync(home)
})
afterEach(() => rmSync(above, { recursive: true }))

const text = (concurrent: number) => `version: 1\nlimits: { concurrent: ${concurrent} }\n`
const invalid = expect.objectContaining({ code: "config.invalid" })

test("a change holds from then on, and a deleted file leaves the defaults", () => {
  const config = new LiveConfig(home)
  expect(config.current.limits.concurrent).toBe(4)
  writeFileSync(file, text(7))
  expect(config.current.limits.concurrent).toBe(7)
  rmSync(file)
  expect(config.checked().limits.concurrent).toBe(4)
})

test("the file of a folder above is never that of the home", () => {
  writeFileSync(join(above, "coppice.yml"), text(9))
  writeFileSync(file, text(7))
  const config = new LiveConfig(home)
  rmSync(file)
  expect(config.current.limits.concurrent).toBe(4)
  expect(new LiveConfig(home).current.limits.concurrent).toBe(4)
})

const SPOILED: readonly (readonly [string, () => void])[] = [
  ["has mistakes", () => writeFileSync(file, "version: 2\n")],
  ["is a folder", () => mkdirSync(file)],
  ["cannot be looked at", () => symlinkSync("coppice.yml", file)],
]

test.each(SPOILED)("while the file %s, the last good one holds", (_, spoil) => {
  writeFileSync(file, text(7))
  const config = new LiveConfig(home)
  rmSync(file)
  spoil()
  expect(config.current.limits.concurrent).toBe(7)
  expect(() => config.checked()).toThrow(invalid)
  expect(() => new LiveConfig(home)).toThrow(invalid)

  rmSync(file, { recursive: true })
  writeFileSync(file, text(8))
  expect(config.checked().limits.concurrent).toBe(8)
})
