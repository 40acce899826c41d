import { execFileSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { UnreadableFileError } from "./errors.ts"
import { findPlain, readLarge, readPlain, readPlainText, writeWhole } from "./plain-file.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coppice-plain-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)

test("a large file is read where it is, and not through a folder that is a link", async () => {
  mkdirSync(at("real"))
  writeFileSync(at("real/a"), "a")
  symlinkSync("real", at("link"))
  const within = folder
  expect((await readLarge(at("real/a"), { within }))?.toString()).toBe("a")
  expect((await readLarge(at("link/a"), { within: at("link") }))?.toString()).toBe("a")
  await expect(readLarge(at("link/a"), { within })).rejects.toThrow("a link leads to it")
})

test("a plain file is read whole, and through a link if allowed", async () => {
  writeFileSync(at("a"), "hügé\n")
  writeFileSync(at("empty"), "")
  symlinkSync("a", at("link"))
  expect(readPlainText(at("a"))).toBe("hügé\n")
  expect(readPlainText(at("a"), "latin1")).toBe("hÃ¼gÃ©\n")
  expect(readPlainText(at("empty"))).toBe("")
  expect(readPlainText(at("link"))).toBe("hügé\n")
  expect(() => readPlain(at("link"), { follows: false })).toThrow(UnreadableFileError)
  await expect(readLarge(at("link"), { follows: false })).rejects.toThrow(UnreadableFileError)
  expect((await readLarge(at("link")))?.toString()).toBe("hügé\n")
})

test("a missing file reads as undefined", async () => {
  writeFileSync(at("a"), "")
  symlinkSync("nowhere", at("link"))
  for (const path of [at("b"), at("a/b"), at("link"), at("c".repeat(300)), at("d\0")]) {
    expect(readPlain(path)).toBeUndefined()
    expect(await readLarge(path)).toBeUndefined()
  }
})

test("a pipe, a folder, a device, a loop, a large file are refused at once, by name [12.9]", async () => {
  execFileSync("mkfifo", [at("pipe")])
  symlinkSync("loop", at("loop"))
  symlinkSync("pipe", at("link"))
  writeFileSync(at("large"), "")
  truncateSync(at("large"), 10 * 2 ** 30)
  for (const path of [at("pipe"), at("link"), folder, "/dev/zero", at("loop"), at("large")]) {
    expect(() => readPlain(path)).toThrow(`${path} cannot be read: `)
    await expect(readLarge(path)).rejects.toThrow(UnreadableFileError)
    expect(findPlain(path)).toBeUndefined()
  }
})

test("a file replaces the one in its place, and is never written into it [12.9]", () => {
  writeFileSync(at("precious"), "mine")
  symlinkSync("precious", at("a"))
  symlinkSync("precious", at("a.new"))
  writeWhole(at("a"), "one")
  execFileSync("mkfifo", [at("b"), at("b.new")])
  writeWhole(at("b"), "two")
  const read = (name: string) => readFileSync(at(name), "utf8")
  expect([read("a"), read("b"), read("precious")]).toEqual(["one", "two", "mine"])
})
