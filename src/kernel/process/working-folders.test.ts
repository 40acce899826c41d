import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { measureFolder } from "./disk.ts"
import { listWorkingFolders, parseLsof } from "./working-folders.ts"

test("a process is found by its working folder", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "coppice-cwd-")))
  const child = spawn("sleep", ["60"], { cwd })
  const isListed = async () =>
    (await listWorkingFolders()).some((one) => one.pid === child.pid && one.cwd === cwd)
  await waitFor("the process to be listed", isListed)
  child.kill("SIGKILL")
  expect(await measureFolder(cwd)).toBeGreaterThanOrEqual(0)
  rmSync(cwd, { recursive: true })
  expect(await measureFolder(cwd)).toBeUndefined()
})

test("the output of lsof is read", () => {
  expect(parseLsof("p12\nfcwd\nn/a b\np13\nfcwd\nn/\n")).toEqual([
    { pid: 12, cwd: "/a b" },
    { pid: 13, cwd: "/" },
  ])
})
