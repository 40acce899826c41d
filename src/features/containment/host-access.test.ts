import { globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import type { TaskId } from "../../base/ids.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import { type Launch, realPath } from "../../kernel/process/fence.ts"
import type { Rows } from "../../kernel/tasks/context.ts"
import { Notices } from "./fence-notices.ts"
import { HostAccess } from "./host-access.ts"

const PATHS = { home: null, writable: [], readable: [], fixed: [], caches: [] }
const FENCE = { ...PATHS, network: true, findReal: realPath }

/** @returns a temporary folder of the test. */
function temporary(name: string): string {
  const root = mkdtempSync(join(tmpdir(), "root-"))
  const folder = join(root, name)
  mkdirSync(folder)
  vi.stubEnv("TMPDIR", folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true })
  })
  return folder
}

/** No host is refused, so nothing is noted. */
const enclose = (cleanUp: Launch["cleanUp"]) =>
  new HostAccess(new Notices({} as Rows)).enclose({
    launch: { command: "/bin/true", args: [], cwd: "/", env: {} },
    fence: FENCE,
    task: 1 as TaskId,
    hosts: [],
    node: [],
    readable: [],
    enclose: (launch) => ({ ...launch, ...(cleanUp && { cleanUp }) }),
  })

test("a temporary folder that is too long for a socket is named, and nothing is left in it", async () => {
  const folder = temporary("d".repeat(100))
  const error = await enclose(undefined).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UnstartableError)
  expect((error as UnstartableError).message).toContain(folder)
  expect((error as UnstartableError).hints.join()).toContain("short path")
  expect(globSync("*/*", { cwd: folder })).toEqual([])
})

test("the way to the hosts ends even if the fence's own clean-up fails", async () => {
  const folder = temporary("t")
  const { cleanUp } = await enclose(async () => {
    throw new Error("the engine is gone")
  })
  expect(globSync("*/*", { cwd: folder })).toHaveLength(1)
  await expect(cleanUp?.({ code: 0, signal: null })).rejects.toThrow("the engine is gone")
  expect(globSync("*/*", { cwd: folder })).toEqual([])
})
