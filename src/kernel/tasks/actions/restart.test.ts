/**
 * Questions after a restart: the fresh conversation's view of them, and the fate of unanswered
 * ones.
 */

import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../../test/support/store.ts"
import type { Fleet } from "../../../api/fleet.ts"
import { assert } from "../../../base/assert.ts"
import type { FleetRows } from "../../home.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { followTurn } from "../end-turn.ts"
import { findTask } from "../rows/find.ts"
import { listTaskLines } from "../rows/list-lines.ts"
import { answerQuestion, askQuestion } from "../rows/questions/ask.ts"
import { listAnswered, listOpenQuestions } from "../rows/questions/list.ts"
import { closeTurn } from "../rows/turns/end.ts"
import { findOpenTurn } from "../rows/turns/find.ts"
import { NO_USAGE } from "../rules/usage.ts"
import { mintSessionId } from "../session-id.ts"
import { answer } from "./answer.ts"
import { restart } from "./restart.ts"
import { say } from "./say.ts"

const world = { nowMs: () => 5, dice: () => 0, point: () => {} }

/** A task that got stuck while its agent waited for the answers to these. */
function stuckAsking(...texts: string[]) {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  addSampleSession(db, id)
  forceState(db, id, "stuck", "working")
  const asked = { task: id, turn: 1, choices: [], subject: null } as const
  const questions = texts.map((text) => askQuestion(db, { ...asked, kind: "question", text }, 1))
  return { db, id, asked, questions, task: () => taskOf(db, id) }
}

function taskOf(db: Db, id: Parameters<typeof findTask>[1]) {
  const task = findTask(db, id)
  assert(task, "the task is there")
  return task
}

test("an answer given while a task is stuck is in the first prompt after that, and in no later one [15.6, 15.7]", async () => {
  const { db, id, questions, task } = stuckAsking("which colour?")
  answerQuestion(db, questions[0]!, "red", 2)
  await restart({ db, world }, task())
  const turn = findOpenTurn(db, id)
  expect(turn?.prompt).toContain("Asked:\n\n```\nwhich colour?\n```\n\nThe answer: red")
  closeTurn(db, turn!, { usage: NO_USAGE, message: "Painted." }, 6)
  followTurn({ db, world, mintSessionId }, task(), { isUndeclared: false, left: null })
  expect([task().state, findOpenTurn(db, id)]).toEqual(["merging", undefined])
})

test("a stuck task restarts with the answer to its last open question, and not before [15.24]", async () => {
  const { db, id, asked, task } = stuckAsking("which colour?", "how large?")
  askQuestion(db, { ...asked, kind: "proposal", text: "take up a task: docs" }, 2)
  const rows: FleetRows = { db, world }
  const fleet = rows as Fleet
  await answer(fleet, task(), { answer: "red", question: 1 })
  expect([task().state, findOpenTurn(db, id)]).toEqual(["stuck", undefined])
  await answer(fleet, task(), { answer: "small", question: 2 })
  expect(task().state).toBe("working")
  const prompt = findOpenTurn(db, id)?.prompt
  expect(prompt).toContain("Asked:\n\n```\nwhich colour?\n```\n\nThe answer: red")
  expect(prompt).toContain("Asked:\n\n```\nhow large?\n```\n\nThe answer: small")
})

test("an answer starts nothing if the landing failed, or a push [15.24]", async () => {
  for (const [state, returnsTo] of [["merge_failed"], ["stuck", "shipping"]] as const) {
    const { db, id, task } = stuckAsking("which colour?")
    forceState(db, id, state, returnsTo)
    const rows: FleetRows = { db, world }
    await answer(rows as Fleet, task(), { answer: "red" })
    expect([task().state, findOpenTurn(db, id)]).toEqual([state, undefined])
  }
})

test("an answer restarts no task without budget or worktree, which keeps it [15.24]", async () => {
  const budget = "update tasks set reason_code = 'budget', reason_text = 'too many turns'"
  for (const change of [budget, "update task_repos set worktree = '/gone'"]) {
    const { db, id, task } = stuckAsking("which colour?")
    sql(db, change).run()
    const rows: FleetRows = { db, world }
    await answer(rows as Fleet, task(), { answer: "red" })
    expect([task().state, findOpenTurn(db, id), listOpenQuestions(db, id)], change).toEqual([
      "stuck",
      undefined,
      [],
    ])
    expect(listAnswered(db, id)).toMatchObject([{ answer: "red" }])
  }
})

test("a restart closes unanswered questions: the fresh agent learns of them, and its work lands [15.6]", async () => {
  const { db, id, asked, questions, task } = stuckAsking("which colour?", "how large?")
  answerQuestion(db, questions[1]!, "small", 2)
  const proposal = { ...asked, kind: "proposal", text: "take up a task: docs" } as const
  askQuestion(db, proposal, 2)
  expect(listTaskLines(db)).toMatchObject([{ question: "which colour?" }])
  await restart({ db, world }, task())

  const prompt = findOpenTurn(db, id)?.prompt
  expect(prompt).toMatch(/Ask again if you still need one\.[^\n]*\n\n```\nwhich colour\?\n```$/m)
  expect(prompt).not.toMatch(/nobody will[^]*how large/)
  expect(listOpenQuestions(db, id).map(({ kind }) => kind)).toEqual(["proposal"])
  expect(listTaskLines(db)).toMatchObject([{ question: proposal.text }])
  const events = listEvents(db, { after: 0, task: id, limit: 99 })
  expect(events.filter(({ type }) => type === "question.closed")).toMatchObject([
    { data: { question: questions[0]!.id, text: "which colour?" } },
  ])
  const rows: FleetRows = { db, world }
  const late = answer(rows as Fleet, task(), { answer: "red", question: 1 })
  await expect(late).rejects.toMatchObject({ code: "question.none" })

  closeTurn(db, findOpenTurn(db, id)!, { usage: NO_USAGE, message: null }, 6)
  followTurn({ db, world, mintSessionId }, task(), { isUndeclared: false, left: null })
  expect(task().state).toBe("merging")
  expect(askQuestion(db, { ...asked, kind: "question", text: "which colour?" }, 7).id).toBe(4)
})

test("words and an answer that come together are one turn [15.7]", () => {
  const { db, id, questions } = stuckAsking("which colour?")
  forceState(db, id, "working")
  answerQuestion(db, questions[0]!, "red", 2)
  say({ db, world }, taskOf(db, id), { text: "And hurry." })
  const prompt = findOpenTurn(db, id)?.prompt
  expect(prompt).toContain("The answer: red")
  expect(prompt).toContain("And hurry.")
})
