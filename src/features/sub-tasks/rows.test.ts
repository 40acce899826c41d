import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import type { TaskId } from "../../base/ids.ts"
import { type Db, openDb } from "../../kernel/store/open.ts"
import { askQuestion } from "../../kernel/tasks/rows/questions/ask.ts"
import { findAwaitedBelow } from "./rows.ts"

const ask = (db: Db, task: TaskId, kind: "question" | "proposal", subject: object | null = null) =>
  askQuestion(db, { task, turn: 1, kind, text: `${kind} of ${task}`, choices: [], subject }, 1)

test("a task waits for an answer to the sub-task that it waits for, also to a proposal [45.10]", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const other = addSampleTask(db, { parent: id })
  const below = addSampleTask(db, { parent: id, reports: true })
  const lowest = addSampleTask(db, { parent: below.id, reports: true })
  ask(db, other.id, "question")
  ask(db, below.id, "proposal", { report: false })
  expect(findAwaitedBelow(db, id), "it waits for none of these").toBeUndefined()
  ask(db, lowest.id, "proposal", { report: true })
  const found = { task: lowest.id, kind: "proposal", isOnly: true }
  expect(findAwaitedBelow(db, id)).toMatchObject(found)
  const { id: question } = ask(db, below.id, "question")
  expect(findAwaitedBelow(db, id)).toMatchObject({ task: below.id, id: question, isOnly: false })
  expect(findAwaitedBelow(db, lowest.id)).toBeUndefined()
})
