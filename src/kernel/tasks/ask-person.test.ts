import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import { type Db, openDb } from "../store/open.ts"
import { askPerson, QUESTIONS_MAX } from "./ask-person.ts"
import { startJob } from "./rows/jobs/record.ts"
import { answerQuestion } from "./rows/questions/ask.ts"
import { listOpenQuestions, listQuestions, listUndeliveredAnswers } from "./rows/questions/list.ts"
import { addSession } from "./rows/sessions/record.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { closeTurn } from "./rows/turns/end.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { openReplyTurn, openTurn } from "./rows/turns/open.ts"
import { NO_USAGE } from "./rules/usage.ts"

const never = new AbortController().signal

/** A task whose agent has a turn, one step at a time. */
function atWork() {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  const session = "5e55" as SessionId
  addSession(db, { id: session, job: startJob(db, id, 1).id }, 1)
  let nowMs = 1
  const world = { nowMs: () => ++nowMs, dice: () => 0, point: () => {} }
  beginTurn(db, openTurn(db, { task: id, session, prompt: "go" }, 1), world.nowMs())
  const ask = (text: string, waitMsMax = 60_000, signal = never) =>
    askPerson(
      { db, world },
      { task: id, kind: "question", text, choices: [], subject: null },
      { waitMsMax, signal },
    )
  /** The process dies, and a new one gets the same turn. */
  const interrupt = () => {
    const turn = findOpenTurn(db, id)
    if (turn) beginTurn(db, turn, world.nowMs())
  }
  return { db, id, ask, interrupt, nowMs: () => world.nowMs() }
}

function answer(db: Db, id: TaskId, text: string, nowMs: number): void {
  const [question] = listOpenQuestions(db, id)
  if (question) answerQuestion(db, question, text, nowMs)
}

test("two tools of an agent that ask the same at once are one question, and both get the answer", async () => {
  const { db, id, ask, nowMs } = atWork()
  const both = Promise.all([ask("which?"), ask("which?")])
  expect(listOpenQuestions(db, id)).toHaveLength(1)
  answer(db, id, "red", nowMs())
  const red = { kind: "answered", answer: "red" }
  expect(await both).toEqual([red, red])
})

test("an answer that was lost when the agent died is given again, without asking a second time", async () => {
  const { db, id, ask, interrupt, nowMs } = atWork()
  for (const text of ["red", "blue"]) {
    const asked = ask("which?")
    answer(db, id, text, nowMs())
    expect(await asked).toEqual({ kind: "answered", answer: text })
  }
  interrupt()
  expect(await ask("which?")).toEqual({ kind: "answered", answer: "red" })
  expect(await ask("which?")).toEqual({ kind: "answered", answer: "blue" })
  expect(listQuestions(db, id)).toHaveLength(2)
  expect(listUndeliveredAnswers(db, id)).toEqual([])
  expect(await ask("which?", 1)).toEqual({ kind: "later" })
  expect(listQuestions(db, id)).toHaveLength(3)
})

test("a program that asks again in the turn that has the answer gets it once [9.6]", async () => {
  const { db, id, ask, interrupt, nowMs } = atWork()
  expect(await ask("which?", 1)).toEqual({ kind: "later" })
  closeTurn(db, findOpenTurn(db, id)!, { usage: NO_USAGE, message: null }, nowMs())
  answer(db, id, "red", nowMs())
  for (const again of [interrupt, interrupt]) {
    openReplyTurn(db, id, nowMs())
    again()
    expect(await ask("which?")).toEqual({ kind: "answered", answer: "red" })
  }
  expect(await ask("which?", 1)).toEqual({ kind: "later" })
  expect(listQuestions(db, id)).toHaveLength(2)
  answer(db, id, "blue", nowMs())
  expect(await ask("which?")).toEqual({ kind: "answered", answer: "blue" })
  closeTurn(db, findOpenTurn(db, id)!, { usage: NO_USAGE, message: null }, nowMs())
  openTurn(db, { task: id, session: "5e55" as SessionId, prompt: "more" }, nowMs())
  interrupt()
  expect(await ask("which?", 1), "an answer of an earlier turn is over").toEqual({ kind: "later" })
})

test("an agent has a limited number of open questions", async () => {
  const { db, id, ask } = atWork()
  const left = new AbortController()
  const open = Array.from({ length: QUESTIONS_MAX }, (_, n) => ask(`${n}?`, 60_000, left.signal))
  expect(await ask("one more?")).toEqual({ kind: "tooMany" })
  const again = ask("0?", 60_000, left.signal)
  left.abort()
  for (const end of await Promise.all([...open, again])) expect(end).toEqual({ kind: "later" })
  expect(listOpenQuestions(db, id)).toHaveLength(QUESTIONS_MAX)
})
