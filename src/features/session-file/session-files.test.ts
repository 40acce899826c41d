import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { expect, test } from "vitest"
import { addSampleTask, forceState, TestFolder } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { SessionId } from "../../base/ids.ts"
import { listEvents } from "../../kernel/store/events.ts"
import { listLog } from "../../kernel/store/log/list.ts"
import { openDb } from "../../kernel/store/open.ts"
import { AgentSecrets } from "../../kernel/tasks/agent-secrets.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listJobs } from "../../kernel/tasks/rows/jobs/find.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { closeTurn } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { NO_USAGE } from "../../kernel/tasks/rules/usage.ts"
import { ProgressLog } from "../verbs/progress-log.ts"
import { SessionFile } from "./session-file.ts"
import { SessionFiles } from "./session-files.ts"

const world = { nowMs: Date.now, dice: () => 0, point: () => {} }

/** A task whose agent works, and its session file. */
function atWork() {
  const folder = new TestFolder()
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  const session = "5f1c" as SessionId
  addSession(db, { id: session, job: startJob(db, id, 1).id }, 1)
  openTurn(db, { task: id, session, prompt: "go" }, 1)
  const progress = new ProgressLog(db, world)
  const bugs: unknown[] = []
  const onBug = (error: unknown) => void bugs.push(error)
  const secrets = new AgentSecrets()
  const context = { db, world, stateDir: folder.path, onBug, progress, secrets }
  const files = new SessionFiles(context)
  const { variables } = files.begin(id, { task: String(id) })
  const facts = readFileSync(variables.COPPICE_SESSION_CONTEXT, "utf8")
  const { sessionFilePath: sessionFile } = JSON.parse(facts) as { sessionFilePath: string }
  const write = (text: string) => {
    writeFileSync(`${sessionFile}.new`, text)
    renameSync(`${sessionFile}.new`, sessionFile)
  }
  const log = () => listLog(db, { task: id, after: 0, limit: 100 })
  const notices = () => log().flatMap(({ kind, text }) => (kind === "notice" ? [text] : []))
  const progressLines = () => log().flatMap(({ kind, text }) => (kind === "text" ? [text] : []))
  const nextTurn = (n: number, between = () => {}) => {
    closeTurn(db, { task: id, n }, { usage: NO_USAGE, message: null }, 2)
    between()
    openTurn(db, { task: id, session, prompt: "go on" }, 3)
  }
  const dispose = async () => {
    files.end()
    folder[Symbol.dispose]()
    expect(bugs).toEqual([])
  }
  const withoutWatcher = () => {
    files.end()
    return new SessionFile(context, id, sessionFile)
  }
  const parts = { db, id, files, sessionFile, write, notices, progressLines, nextTurn }
  return { ...parts, withoutWatcher, [Symbol.asyncDispose]: dispose }
}

test("a worker reports by its file what it does, that it is done, and that it is stuck", async () => {
  await using it = atWork()
  it.write('{"status":"working","text":"reads","lastHeartbeat":"2026-01-01T00:00:00Z"}')
  await waitFor("its progress", () => findTask(it.db, it.id)?.lastMessage === "reads")
  it.write('{"status":"done","text":"wrote it"}')
  await waitFor("that it is done", () => findOpenTurn(it.db, it.id)?.declared === "wrote it")
  it.write('{"status":"done","text":"wrote it","lastHeartbeat":"2026-01-02T00:00:00Z"}')
  it.files.look(it.id)
  const told = listEvents(it.db, { after: 0, limit: 99 }).map(({ type }) => type)
  expect(told.filter((type) => type === "turn.declared")).toHaveLength(1)
  it.write('{"status":"stuck","text":"no key"}')
  await waitFor("that it is stuck", () => findTask(it.db, it.id)?.state === "stuck")
  expect(findTask(it.db, it.id)?.reason).toEqual({ code: "needs_decision", text: "no key" })
  expect(findOpenTurn(it.db, it.id)).toBeUndefined()
  expect(it.notices()).toEqual([])
  it.write('{"status":"working","text":"and yet"}')
  await waitFor("the notice", () => it.notices().length === 1)
  expect(it.notices()[0]).toContain("no turn was open")
  expect(findTask(it.db, it.id)?.state).toBe("stuck")
})

test.each([
  ["unknown", '{"status":"cancelled","text":"x"}', "has a status"],
  ["of another shape", '{"state":"complete"}', "has a status"],
  ["from the future", '{"status":"working","lastHeartbeat":"2999-01-01T00:00:00Z"}', "future"],
])("a report that is %s changes nothing and is reported once", async (_, text, why) => {
  await using it = atWork()
  it.write(text)
  await waitFor("the notice", () => it.notices().length === 1)
  expect(it.notices()[0]).toContain(why)
  expect(findTask(it.db, it.id)).toMatchObject({ state: "working", lastMessage: null })
  it.write(text)
  it.write('{"status":"working","text":"goes on"}')
  await waitFor("its progress", () => findTask(it.db, it.id)?.lastMessage === "goes on")
  expect(it.notices()).toHaveLength(1)
})

test.each([
  ["done", "working", "its session file says done"],
  ["complete", "working", "its session file says complete"],
  ["planning_complete", "working", null],
  ["stuck", "stuck", null],
])("a status is enough: %s; unknown keys change nothing [54.2]", async (status, state, done) => {
  await using it = atWork()
  it.write(`{"status":"${status}","lastHeartbeat":"2026-01-01T00:00:00Z","branch":"x","pid":1}`)
  await waitFor("the notice", () => it.notices().length === 1)
  expect(it.notices()).toEqual(["Its session file has unknown keys: branch, pid."])
  expect(findTask(it.db, it.id)?.state).toBe(state)
  expect(findOpenTurn(it.db, it.id)?.declared ?? null).toBe(done)
})

test("the reason of a stuck worker is its own, and one that is not stuck has none [54.1]", async () => {
  await using it = atWork()
  it.write('{"status":"pr_ready","stuckReason":"of earlier","text":null}')
  it.files.look(it.id)
  expect(it.progressLines()).toEqual(["its session file says pr ready"])
  it.write('{"status":"stuck","stuckReason":"JWT or tokens?","text":"reads"}')
  it.files.look(it.id)
  const reason = { code: "needs_decision", text: "JWT or tokens?" }
  expect(findTask(it.db, it.id)).toMatchObject({ state: "stuck", reason })
  expect(it.notices()).toEqual([])
})

test("a file that is being written leaves no notice; one that stays torn leaves one [54.3]", async () => {
  await using it = atWork()
  const file = it.withoutWatcher()
  writeFileSync(it.sessionFile, '{"status":"wor')
  file.changed()
  appendFileSync(it.sessionFile, 'king","text":"reads"}')
  file.look()
  writeFileSync(it.sessionFile, "")
  file.look()
  expect([it.progressLines(), it.notices()]).toEqual([["reads"], []])
  writeFileSync(it.sessionFile, '{"status":"wor')
  file.look()
  file.look()
  expect(it.notices()).toEqual(["Its session file is not JSON; the report is ignored."])
})

test("a report that is repeated is a sign of life, and counts again in a later turn [54.4]", async () => {
  await using it = atWork()
  const done = '{"status":"done","text":"wrote it"}'
  it.write(done)
  it.files.look(it.id)
  it.nextTurn(1)
  it.files.look(it.id)
  expect(findOpenTurn(it.db, it.id)?.declared).toBeNull()
  expect(listJobs(it.db, it.id)).toMatchObject([{ summary: "wrote it" }])
  it.write(done)
  it.files.look(it.id)
  expect(findOpenTurn(it.db, it.id)).toMatchObject({ n: 2, declared: "wrote it" })
  expect(it.progressLines()).toEqual(["wrote it", "wrote it"])
})

test("a report that is repeated between two turns counts in neither", async () => {
  await using it = atWork()
  const file = it.withoutWatcher()
  it.write('{"status":"done","text":"wrote it"}')
  file.look()
  it.nextTurn(1, () => {
    utimesSync(it.sessionFile, 1, 1)
    file.changed()
    file.look()
  })
  file.look()
  expect(findOpenTurn(it.db, it.id)).toMatchObject({ n: 2, declared: null })
  expect(it.notices()).toEqual([])
})

test.each<[string, (path: string) => void]>([
  ["a link", (path) => symlinkSync(`${path}.elsewhere`, path)],
  ["a pipe", (path) => void execFileSync("mkfifo", [path])],
  ["a folder", (path) => void mkdirSync(path)],
  ["a large file", (path) => writeFileSync(path, `{"status":"stuck","text":"${"x".repeat(1e5)}"}`)],
])("%s in its place is not read, and is named at the end of the turn [54.5]", async (_, put) => {
  await using it = atWork()
  writeFileSync(`${it.sessionFile}.elsewhere`, '{"status":"stuck","text":"followed"}')
  rmSync(it.sessionFile)
  put(it.sessionFile)
  it.files.look(it.id)
  const said = "Its session file is not a plain file of at most 65536 bytes; the report is ignored."
  expect([findTask(it.db, it.id)?.state, it.notices()]).toEqual(["working", [said]])
  it.files.begin(it.id, {})
  it.write('{"status":"working","text":"a new one"}')
  await waitFor("its progress", () => findTask(it.db, it.id)?.lastMessage === "a new one")
})

test("the files of tasks whose job has ended are gone when the next one begins", async () => {
  await using it = atWork()
  const first = dirname(it.sessionFile)
  it.db.exec(`update jobs set state = 'ended', ended_at = 2 where task = ${it.id}`)
  const next = addSampleTask(it.db).id
  startJob(it.db, next, 3)
  it.files.begin(next, {})
  expect(readdirSync(dirname(first))).toEqual([String(next)])
})

test("a report that is there when a turn ends counts; notices about invalid ones are bounded [9.8]", async () => {
  await using it = atWork()
  for (let n = 1; n <= 30; n++) {
    it.write(`{"torn": ${n}`)
    it.files.look(it.id)
  }
  expect(it.notices()).toHaveLength(20)
  expect(it.notices().at(-1)).toContain("Further notices are suppressed.")
  it.write('{"status":"done","text":"wrote it"}')
  it.files.look(it.id)
  expect(findOpenTurn(it.db, it.id)?.declared).toBe("wrote it")
})

test("a worker that writes without end is not followed word for word [9.8]", async () => {
  await using it = atWork()
  const file = it.withoutWatcher()
  const seen = new Set<string | null | undefined>()
  for (let n = 1; n <= 50; n++) {
    it.write(`{"status":"working","text":"at ${n}"}`)
    file.changed()
    seen.add(findTask(it.db, it.id)?.lastMessage)
  }
  expect(seen.size).toBeLessThan(50)
  await waitFor("the last", () => findTask(it.db, it.id)?.lastMessage === "at 50")
  file.end()
})
