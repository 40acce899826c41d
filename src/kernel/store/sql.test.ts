import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import type { EventType } from "../../api/wire/event-types.ts"
import type { TaskId } from "../../base/ids.ts"
import { listTasks } from "../tasks/rows/find.ts"
import { appendEvent, listEvents } from "./events.ts"
import { appendLog } from "./log/append.ts"
import { type Db, openDb } from "./open.ts"
import { onCommit, sql, transaction } from "./sql.ts"

const happened = (db: Db, type: string) =>
  appendEvent(db, { type: type as EventType, task: null, data: {} }, 1)

/** The types of the events that a listener heard of, one list per call. */
function listen(db: Db): string[][] {
  const heard: string[][] = []
  onCommit(db, (events) => heard.push(events.map(({ type }) => type)))
  return heard
}

test("a transaction that throws leaves nothing behind, and announces nothing", () => {
  const db = openDb(":memory:")
  const heard = listen(db)
  const failing = () =>
    transaction(db, () => {
      addSampleTask(db)
      throw new Error("no")
    })
  expect(failing).toThrow("no")
  expect(listTasks(db)).toEqual([])
  happened(db, "later")
  expect(heard).toEqual([["later"]])
})

test("nested transactions are one: listeners hear of all of it, once, when it is committed", () => {
  const db = openDb(":memory:")
  const heard: [types: string[], inTransaction: boolean][] = []
  onCommit(db, (events) => heard.push([events.map(({ type }) => type), db.inTransaction]))
  transaction(db, () => {
    happened(db, "first")
    transaction(db, () => happened(db, "second"))
    expect(heard).toEqual([])
  })
  expect(heard).toEqual([[["first", "second"], false]])
})

test("a nested transaction that throws is undone alone if the outer one catches", () => {
  const db = openDb(":memory:")
  const heard = listen(db)
  transaction(db, () => {
    happened(db, "first")
    const failing = () =>
      transaction(db, () => {
        happened(db, "undone")
        throw new Error("no")
      })
    expect(failing).toThrow("no")
    happened(db, "last")
  })
  expect(heard).toEqual([["first", "last"]])
  expect(listEvents(db, { after: 0, limit: 9 }).map(({ type }) => type)).toEqual(["first", "last"])
})

test("a transaction without events wakes no listener", () => {
  const db = openDb(":memory:")
  const heard = listen(db)
  transaction(db, () => sql(db, "update tasks set title = ''").run())
  expect(heard).toEqual([])
})

test("listeners hear of lines of the log as well, until they stop to listen", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const heard: string[] = []
  const stop = onCommit(db, (_, lines) => heard.push(...lines.map(({ text }) => text)))
  appendLog(db, { task: id, turn: 1, kind: "text", text: "hello" }, 1)
  stop()
  appendLog(db, { task: id, turn: 1, kind: "text", text: "again" }, 1)
  expect(heard).toEqual(["hello"])
})

test("a row that there must be is a bug when it is missing", () => {
  const db = openDb(":memory:")
  const find = "select id from tasks where id = :id"
  expect(sql(db, find).find({ id: 7 })).toBeUndefined()
  expect(() => sql(db, find).read({ id: 7 })).toThrow(expect.objectContaining({ blame: "bug" }))
})

test("two connections on one database do not share transactions or listeners", () => {
  const one = openDb(":memory:")
  const other = openDb(":memory:")
  const heard = listen(one)
  appendEvent(other, { type: "task.told", task: 1 as TaskId, data: {} }, 1)
  expect(heard).toEqual([])
})
