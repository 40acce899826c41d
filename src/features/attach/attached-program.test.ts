/** Finds the command of a terminal after the daemon has started again. */
import { mkdtempDisposableSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findAttached } from "./attached-program.ts"

test("a file that no process writes counts as old where a clock that was ahead made it", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "coppice-attached-"))
  const file = join(folder.path, "pid")
  writeFileSync(file, "")
  const attachment = { pid: process.pid, identity: "of another process", mark: "x", file }
  expect(findAttached(attachment), "just made").toBe(process.pid)
  const laterS = Date.now() / 1000 + 86_400
  utimesSync(file, laterS, laterS)
  expect(findAttached(attachment), "made tomorrow").toBeUndefined()
})
