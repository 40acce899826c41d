import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask, forceState } from "../../../../test/support/store.ts"
import { addLanding } from "../../landing/rows/add.ts"
import { openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { type LinesQuery, listTaskLines } from "./list-lines.ts"
import { askQuestion } from "./questions/ask.ts"

test("a task has one line, with its reason, newest last", () => {
  const db = openDb(":memory:")
  const [first, second] = [addSampleTask(db), addSampleTask(db, { title: "Wave", agent: "other" })]
  forceState(db, first.id, "stuck", "working")
  const reason = { code: "AGENT_FAILED", text: "It ended." }
  sql(db, "update tasks set reason_code = :code, reason_text = :text where id = :id").run({
    id: first.id,
    ...reason,
  })

  const kept = {
    workItem: null,
    parent: null,
    reviewOf: null,
    strategy: "git_worktree",
    createdAtMs: 1000,
    updatedAtMs: 1000,
    landing: null,
    turns: 0,
  }
  const there = { deletion: null, repos: ["app"] }
  const nothing = { question: null, standIn: null, last: null, costUsd: null, kept: false }
  const line = { title: "Greet people", agent: "coder", ...kept, ...nothing, ...there }
  const [restart, say] = ["restart", "say"].map((first) => [first, "pause", "cancel", "delete"])
  expect(listTaskLines(db)).toEqual([
    { ...line, id: first.id, state: "stuck", reason, can: expect.arrayContaining(restart!) },
    {
      ...line,
      id: second.id,
      state: "registered",
      reason: null,
      title: "Wave",
      agent: "other",
      can: say,
    },
  ])
})

test("a line tells of the latest landing while the task is merging, and at no other time", () => {
  const db = openDb(":memory:")
  const { id, task } = addSampleLanding(db)
  sql(db, "update landings set state = 'cancelled' where id = :id").run({ id })
  const latest = addLanding(db, { task, repos: [] }, 2000)
  const blocked = { state: "waiting", outcome: "TARGET_RED" }
  sql(db, "update landings set state = :state, outcome = :outcome where id = :id").run({
    id: latest.id,
    ...blocked,
  })
  expect(listTaskLines(db)).toMatchObject([{ state: "registered", landing: null }])
  forceState(db, task, "merging")
  expect(listTaskLines(db)).toMatchObject([{ state: "merging", landing: blocked }])
})

test("a line tells what is asked also when the task is complete, but not of one that was given up", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  const proposal = { kind: "proposal", text: "take up a task: docs", choices: [] } as const
  askQuestion(db, { task, turn: 1, ...proposal, subject: null }, 1)
  for (const state of ["working", "complete"] as const) {
    forceState(db, task, state)
    expect(listTaskLines(db)).toMatchObject([{ question: proposal.text }])
  }
  forceState(db, task, "cancelled")
  expect(listTaskLines(db)).toMatchObject([{ question: null }])
})

test("a line tells that the work of a complete task is kept, until it lands", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db, { land: "none" })
  sql(db, "update task_repos set worktree = '/w' where task = :task").run({ task })
  expect(listTaskLines(db)).toMatchObject([{ kept: false }])
  forceState(db, task, "complete")
  expect(listTaskLines(db)).toMatchObject([{ kept: true }])
  addLanding(db, { task, repos: [] }, 2000)
  expect(listTaskLines(db)).toMatchObject([{ kept: false }])
})

test("the whole tree of an unfinished task is in the list", () => {
  const db = openDb(":memory:")
  const ids = Array.from({ length: 6 }, () => addSampleTask(db).id)
  for (const [child, parent] of [
    [1, 0],
    [2, 1],
    [3, 1],
  ] as const)
    sql(db, "update tasks set parent = :parent where id = :child").run({
      child: ids[child]!,
      parent: ids[parent]!,
    })
  for (const at of [0, 1, 2, 4, 5]) forceState(db, ids[at]!, "complete")
  const list = () => listTaskLines(db, undefined, { finished: 1 }).map(({ id }) => ids.indexOf(id))
  expect(list()).toEqual([0, 1, 2, 3, 5])
  forceState(db, ids[3]!, "complete")
  expect(list()).toEqual([5])
})

test("a list is of every unfinished task and the newest finished ones, older ones page by page", () => {
  const db = openDb(":memory:")
  const ids = Array.from({ length: 7 }, () => addSampleTask(db).id)
  for (const at of [0, 1, 3, 4, 5]) forceState(db, ids[at]!, at === 4 ? "cancelled" : "complete")
  const list = (query: LinesQuery) =>
    listTaskLines(db, undefined, query).map(({ id }) => ids.indexOf(id))
  expect(list({})).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(list({ finished: 2 })).toEqual([2, 4, 5, 6])
  expect(list({ finished: 2, before: ids[4]! })).toEqual([1, 3])
  expect(list({ finished: 2, before: ids[1]! })).toEqual([0])
  expect(list({ ids: [ids[6]!, ids[0]!, 99 as never] })).toEqual([0, 6])
})
