import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { commandEnvironment } from "./environment.ts"
import { listScratch, makeScratch, sweepScratch } from "./scratch-folder.ts"

test("leftovers of killed programs go when they are a day old; folders in use stay", async () => {
  const root = mkdtempSync(join(tmpdir(), "root-"))
  vi.stubEnv("TMPDIR", root)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true })
  })
  const old = (Date.now() - 25 * 3600_000) / 1000
  using young = makeScratch()
  using used = makeScratch()
  const leftOf = (process: string) => {
    const path = join(root, `coppice-scratch-${process}abc`)
    mkdirSync(path)
    writeFileSync(join(path, "index"), "")
    return path
  }
  const left = [leftOf(`${spawnSync("true").pid}-`), leftOf("")]
  const foreign = join(root, "coppice-other")
  mkdirSync(foreign)
  for (const path of [used.path, dirname(used.path), ...left, foreign]) utimesSync(path, old, old)

  await sweepScratch()
  expect([young.path, used.path, foreign].map(existsSync)).toEqual([true, true, true])
  expect(left.map(existsSync)).toEqual([false, false])
})

test("the folders of a process lie in one of its own, which goes with it", () => {
  using one = makeScratch()
  using other = makeScratch()
  expect(dirname(one.path)).toBe(dirname(other.path))
  expect(listScratch()).toContain(dirname(one.path))
  rmSync(dirname(one.path), { recursive: true })
  using again = makeScratch()
  expect(listScratch()).toContain(dirname(again.path))
  const file = join(import.meta.dirname, "scratch-folder.ts")
  const script = `const { makeScratch } = await import(${JSON.stringify(file)}); console.log(makeScratch().path)`
  const made = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  })
  expect(basename(made.stdout.trim())).toHaveLength(6)
  expect(existsSync(dirname(made.stdout.trim()))).toBe(false)
})

test("the folder of a shell that has gone: another one serves, and no program is sent there", () => {
  const root = mkdtempSync(join(tmpdir(), "root-"))
  rmSync(root, { recursive: true })
  vi.stubEnv("TMPDIR", root)
  onTestFinished(() => void vi.unstubAllEnvs())
  using scratch = makeScratch()
  expect(existsSync(scratch.path)).toBe(true)
  expect(commandEnvironment(process.env, {})).not.toHaveProperty("TMPDIR")
})
