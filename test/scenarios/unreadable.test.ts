/** Rows that a person or a broken disk has spoilt hide nothing else, and stay as they are. */
import { pino } from "pino"
import { expect, test } from "vitest"
import { AgentAccess } from "../../src/api/agent-tokens.ts"
import { databasePath } from "../../src/api/client/state-dir.ts"
import { BrowserAccess } from "../../src/api/server/browser-access.ts"
import { Operations } from "../../src/api/server/operations.ts"
import { createServer } from "../../src/api/server/server.ts"
import type { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskLinesDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { LiveConfig } from "../../src/config/live/live-config.ts"
import { compose } from "../../src/daemon/compose.ts"
import { listRunnable } from "../../src/kernel/landing/rows/list.ts"
import { listEvents } from "../../src/kernel/store/events.ts"
import { openDb } from "../../src/kernel/store/open.ts"
import { sql } from "../../src/kernel/store/sql.ts"
import { listDueTasks } from "../../src/kernel/tasks/rows/list-due.ts"
import { TestRepo } from "../support/repo.ts"
import { addSampleLanding, addSampleTask, forceState } from "../support/store.ts"

const TOKEN = "secret"

test("C15: one of 50 tasks is damaged: 49 are listed, that one is named, and its row stays unchanged [33.8]", async () => {
  using repo = new TestRepo()
  const db = openDb(databasePath(repo.folder))
  const world = { nowMs: () => 1000, dice: () => 0.5, point: () => {} }
  const log = pino({ level: "silent" })
  const [config, agents] = [new LiveConfig(repo.path, repo.folder), new AgentAccess(TOKEN)]
  const parts = { home: repo.path, stateDir: repo.folder, config, db, world, log, agents }
  const composed = compose(parts)
  const status = () => ({}) as StatusDocument
  const server = await createServer({
    fleet: composed.fleet,
    token: TOKEN,
    status,
    down: () => true,
    isEnding: () => false,
    operations: new Operations(composed.fleet),
    browsers: new BrowserAccess(composed.fleet),
    requireApproval: () => {},
    onBug: (error) => expect(error).toBeUndefined(),
  })
  const ids = Array.from({ length: 50 }, () => addSampleTask(db).id)
  sql(db, "update tasks set state = 'nonsense' where id = :id").run({ id: ids[20]! })
  const row = () => sql(db, "select * from tasks where id = :id").find({ id: ids[20]! })
  const before = row()
  const ask = async (url: string) => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    return (await server.inject({ url, headers })).json()
  }
  const whole = TasksDocument.parse(await ask("/tasks"))
  const lines = TaskLinesDocument.parse(await ask("/task-lines"))
  for (const { tasks, unreadable } of [whole, lines]) {
    expect(tasks).toHaveLength(49)
    expect(unreadable).toEqual([
      { task: String(ids[20]), error: "a stored task has a known state" },
    ])
  }
  expect(listDueTasks(db, 0)).toHaveLength(49)
  expect(row()).toEqual(before)
  await composed.fleet.maintenance.collect()
  const { problems } = composed.fleet.maintenance.report
  expect(problems).toEqual([`Task ${ids[20]} cannot be read: a stored task has a known state.`])
  await server.close()
  await composed.stop()
  db.close()
})

test("C15: a damaged landing or event stops no other", () => {
  const db = openDb(":memory:")
  const [one, other] = [addSampleLanding(db, ["/a:main"]), addSampleLanding(db, ["/b:main"])]
  sql(db, "update landings set details = '{' where id = :id").run({ id: one.id })
  expect(listRunnable(db).map(({ id }) => id)).toEqual([other.id])
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  sql(db, "update events set data = '{' where task = :id").run({ id })
  expect(listEvents(db, { after: 0, limit: 9, task: id })).toMatchObject([
    { data: { unreadable: "{" } },
  ])
})
