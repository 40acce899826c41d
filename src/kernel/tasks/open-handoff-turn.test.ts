import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { assert } from "../../base/assert.ts"
import type { SessionId } from "../../base/ids.ts"
import { openDb } from "../store/open.ts"
import { openHandoffTurn } from "./end-turn.ts"
import { planPrompt } from "./prompts/plan.ts"
import { findTask } from "./rows/find.ts"
import { addMessage } from "./rows/messages.ts"
import { answerQuestion, askQuestion } from "./rows/questions/ask.ts"
import { setPlan } from "./rows/texts.ts"
import { findOpenTurn } from "./rows/turns/find.ts"

const world = { nowMs: () => 1, dice: () => 0, point: () => {} }
const next = { session: "5e55" as SessionId, document: "Half is read." }

test("a conversation that takes over while a plan is carried out gets the plan and the messages since [16.5]", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  setPlan(db, id, "First the tests.")
  addMessage(db, { task: id, text: "Mind the gap." }, 1)
  const asked = { task: id, turn: 1, kind: "question", text: "which?", choices: [] } as const
  answerQuestion(db, askQuestion(db, { ...asked, subject: null }, 1), "red", 1)
  const task = findTask(db, id)
  assert(task, "the task is there")
  openHandoffTurn({ db, world }, task, next)
  const prompt = findOpenTurn(db, id)?.prompt ?? ""
  const parts = [
    "Say hello.",
    "First the tests.",
    "Half is read.",
    "The answer: red",
    "Mind the gap.",
  ]
  const at = parts.map((part) => prompt.indexOf(part))
  expect(at).toEqual(at.toSorted((a, b) => a - b))
  expect(at[0]).toBe(0)
})

test("a conversation that takes over during planning is only asked to plan [16.5]", () => {
  const prompts = (["planning", "working"] as const).map((state) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db)
    forceState(db, id, state)
    const task = findTask(db, id)
    assert(task, "the task is there")
    openHandoffTurn({ db, world }, task, next)
    return findOpenTurn(db, id)?.prompt ?? ""
  })
  const [planning, working] = prompts
  expect(planning).toContain(planPrompt("Say hello.\n"))
  expect(planning).toContain("Half is read.")
  expect(working).not.toContain("write a plan")
})
