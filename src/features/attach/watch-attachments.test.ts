/** The person's program and the command that started it, killed in every order. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import {
  addSampleSession,
  addSampleTask,
  forceState,
  TestFolder,
} from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { assert } from "../../base/assert.ts"
import { readIdentity } from "../../kernel/process/process-identity.ts"
import { openDb } from "../../kernel/store/open.ts"
import { resume } from "../../kernel/tasks/actions/resume.ts"
import { setAttached } from "../../kernel/tasks/rows/attached.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { announced, findAttached } from "./attached-program.ts"
import { watchAttachments } from "./watch-attachments.ts"

const started: ChildProcess[] = []
afterEach(() => void started.splice(0).map((child) => child.kill("SIGKILL")))

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, { env, stdio: "ignore" })
  started.push(child)
  assert(child.pid, "it was started")
  return { child, pid: child.pid }
}

async function kill({ child }: ReturnType<typeof run>) {
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** A task that a person has attached to; the command runs, but its program does not run yet. */
function attached(folder: string) {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  addSampleSession(db, id)
  forceState(db, id, "paused", "working")
  const command = run("/bin/sleep", ["600"])
  const identity = readIdentity(command.pid) ?? null
  const attachment = { pid: command.pid, identity, file: join(folder, "said"), mark: "attached-1" }
  setAttached(db, id, { ...attachment, pauses: true })
  const fleet = { db, world: { nowMs: () => 5, dice: () => 0, point: () => {} }, stateDir: folder }
  const { program, args, env } = announced(
    { program: "/bin/sleep", args: ["600"], env: {} },
    attachment,
  )
  return {
    command,
    attachment,
    start: () => run(program, args, env),
    task: () => findTask(db, id)!,
    resume: () => resume({ ...fleet, findAttached }, findTask(db, id)!),
    look: () => {
      const keeper = watchAttachments(fleet, (_, error) => expect.unreachable(String(error)))
      keeper.start()
      keeper.stop()
    },
  }
}

test("a program that outlives its killed command keeps the conversation, and the task goes on when it ends [15.10]", async () => {
  using folder = new TestFolder()
  const it = attached(folder.path)
  const program = it.start()
  await waitFor("the program", () => readIdentity(program.pid) && fileSays(it.attachment.file))
  await kill(it.command)
  expect(findAttached(it.attachment)).toBe(program.pid)
  it.look()
  expect([it.task().state, it.task().attached]).toMatchObject(["paused", { pid: it.command.pid }])
  expect(() => it.resume()).toThrow(`process ${program.pid}`)
  await kill(program)
  it.look()
  expect([it.task().state, it.task().attached]).toEqual(["working", null])
})

test("if the command is killed before its program has begun, the program never begins [15.10]", async () => {
  using folder = new TestFolder()
  const it = attached(folder.path)
  it.look()
  expect(it.task().state).toBe("paused")
  await kill(it.command)
  expect(findAttached(it.attachment)).toBeUndefined()
  const late = it.start()
  expect((await once(late.child, "exit"))[0]).toBe(1)
  it.look()
  expect(it.task().state).toBe("working")
})

test("another process with the pid of the ended program is not mistaken for it", async () => {
  using folder = new TestFolder()
  const it = attached(folder.path)
  await kill(it.command)
  writeFileSync(it.attachment.file, `${process.pid}\n`)
  expect(findAttached(it.attachment)).toBeUndefined()
})

const fileSays = (path: string) => existsSync(path) && readFileSync(path, "utf8").endsWith("\n")

test("a task of the same work item is not resumed while its shared conversation is attached [15.10]", () => {
  const db = openDb(":memory:")
  const [first, second] = [1, 2].map(() => addSampleTask(db, { workItem: "gh-17" }))
  assert(first && second, "they were added")
  for (const { id } of [first, second]) forceState(db, id, "complete")
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const fleet = { db, world, findAttached }
  const identity = readIdentity(process.pid) ?? null
  setAttached(db, first.id, { pid: process.pid, identity, file: "/", mark: "m", pauses: false })
  expect(() => resume(fleet, findTask(db, second.id)!, { text: "more" })).toThrow(
    /has the conversation of task 2 open/,
  )
})
