import { mkdirSync, mkdtempDisposableSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { TaskId } from "../../../base/ids.ts"
import { readSetupInputs, type SetupFor } from "./setup-inputs.ts"
import { isSetUp, recordingSetUp } from "./setup-record.ts"

const BY_LOCKFILE: SetupFor = { setup: undefined, task: 1 as TaskId }

/** The set-up's inputs in a folder, after each of some changes to it. */
async function hashes(
  changes: readonly (() => void)[],
  path: string,
  how: SetupFor = BY_LOCKFILE,
): Promise<string[]> {
  const found = []
  for (const change of changes) {
    change()
    found.push((await readSetupInputs(path, how)).hash)
  }
  return found
}

test("a set-up depends on its command, its lockfile and its manifest, and on no other file [28.5]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "inputs-"))
  const write = (name: string, text: string) => () => writeFileSync(join(folder.path, name), text)
  write("package.json", "{}")()
  const [first, second, third, same, back] = await hashes(
    [
      write("package-lock.json", "1"),
      write("package-lock.json", "2"),
      write("package.json", '{ "name": "x" }'),
      write("src.ts", "1"),
      () => {
        write("package-lock.json", "1")()
        write("package.json", "{}")()
      },
    ],
    folder.path,
  )
  expect(new Set([first, second, third]).size).toBe(3)
  expect([same, back]).toEqual([third, first])
  const custom = await readSetupInputs(folder.path, { ...BY_LOCKFILE, setup: "npm ci --offline" })
  expect(custom).toMatchObject({
    command: "npm ci --offline",
    hash: expect.not.stringMatching(first!),
  })
})

test("files named by a custom command count, and so does the task if it uses the task's variables [28.5]", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "inputs-"))
  const script = join(folder.path, "up.sh")
  const of = async (setup: string, task: number) =>
    (await readSetupInputs(folder.path, { setup, task: task as TaskId })).hash
  writeFileSync(script, "touch up")
  expect(await of("./up.sh", 1)).toBe(await of("./up.sh", 2))
  const before = await of("./up.sh", 1)
  writeFileSync(script, "createdb $COPPICE_SLUG")
  expect(await of("./up.sh", 1)).not.toBe(before)
  expect(await of("./up.sh", 1)).not.toBe(await of("./up.sh", 2))
  expect(await of("createdb $COPPICE_SLUG", 1)).not.toBe(await of("createdb $COPPICE_SLUG", 2))
})

test("a set-up stays valid until its inputs change, its products are gone, or another began [28.5]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("task")
  const inputs = { command: "npm ci", hash: "1" }
  const make = async () => {
    mkdirSync(join(worktree, "node_modules"), { recursive: true })
    return true
  }
  expect(await isSetUp(worktree, inputs)).toBe(false)
  await recordingSetUp(worktree, inputs, make)
  expect(await isSetUp(worktree, inputs)).toBe(true)
  expect(await isSetUp(worktree, { ...inputs, hash: "2" })).toBe(false)
  expect(repo.gitIn(worktree, "status", "--porcelain", "--ignored")).toBe("")
  await recordingSetUp(worktree, inputs, make)
  rmSync(join(worktree, "node_modules"), { recursive: true })
  expect(await isSetUp(worktree, inputs)).toBe(false)
  await make()
  const failing = recordingSetUp(worktree, { ...inputs, hash: "2" }, () =>
    Promise.reject(new Error("no network")),
  )
  await expect(failing).rejects.toThrow()
  expect(await isSetUp(worktree, inputs)).toBe(false)
})

test("a set-up that changes its own inputs stays valid, and runs again for no other change [12.5]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("task")
  const lock = join(worktree, "package-lock.json")
  const read = () => readSetupInputs(worktree, { setup: "npm install", task: undefined })
  const install = async () => {
    writeFileSync(lock, "made")
    return true
  }
  await recordingSetUp(worktree, await read(), install, read)
  expect(await isSetUp(worktree, await read())).toBe(true)
  writeFileSync(lock, "changed by the agent")
  expect(await isSetUp(worktree, await read())).toBe(false)
})

test("a worktree that moved keeps its installed files, but no Python environment [28.5]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("task")
  const inputs = { command: "make deps", hash: "1" }
  await recordingSetUp(worktree, inputs, async () => {
    mkdirSync(join(worktree, "node_modules"))
    return true
  })
  const moved = `${worktree}-moved`
  repo.git("worktree", "move", worktree, moved)
  expect(await isSetUp(moved, inputs)).toBe(true)
  await recordingSetUp(moved, inputs, async () => {
    mkdirSync(join(moved, ".venv"))
    writeFileSync(join(moved, ".venv", "pyvenv.cfg"), "home = /usr/bin\n")
    return true
  })
  expect(await isSetUp(moved, inputs)).toBe(true)
  repo.git("worktree", "move", moved, worktree)
  expect(await isSetUp(worktree, inputs)).toBe(false)
  renameSync(join(worktree, ".venv"), join(worktree, "other"))
  expect(await isSetUp(worktree, inputs)).toBe(false)
})
