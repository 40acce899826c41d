import { execFileSync } from "node:child_process"
import { mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestFolder } from "../../../test/support/store.ts"
import { findDaemon, hasEverRun } from "./daemon-address.ts"
import { readSmall } from "./read-small.ts"

test("a pipe, a device, a folder, a huge file are refused at once [12.9]", () => {
  using folder = new TestFolder()
  const at = (name: string) => join(folder.path, name)
  execFileSync("mkfifo", [at("pipe")])
  mkdirSync(at("folder"))
  for (const name of ["small", "huge"]) writeFileSync(at(name), "text")
  truncateSync(at("huge"), 2 ** 30)
  for (const path of [at("pipe"), at("folder"), "/dev/zero"])
    expect(() => readSmall(path)).toThrow(`${path} is not a file`)
  expect(() => readSmall(at("huge"))).toThrow("is larger than")
  expect(readSmall(at("small"))).toBe("text")
})

test("a pipe or other text in the place of a daemon's address is no daemon, and nothing waits for it [12.9]", () => {
  using folder = new TestFolder()
  const file = join(folder.path, "daemon.json")
  execFileSync("mkfifo", [file])
  expect([findDaemon(folder.path), hasEverRun(folder.path)]).toEqual([undefined, false])
  execFileSync("rm", [file])
  for (const text of ["null", "[]", '"text"', '{"pid": "1"}', "{"]) {
    writeFileSync(file, text)
    expect([findDaemon(folder.path), hasEverRun(folder.path)]).toEqual([undefined, false])
  }
})
