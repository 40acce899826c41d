/** A note says what a person needs to know, and no word of an agent has an effect in it. */
import { expect, test } from "vitest"
import type { Question } from "../../../kernel/tasks/rules/question.ts"
import type { Actionable } from "../../../kernel/tasks/rules/transitions.ts"
import { TASK, type TaskState } from "../../../kernel/tasks/rules.ts"
import { questionNote, stateNote } from "./rules/notes.ts"
import { effectOf } from "./rules.ts"

const QUESTION = {
  id: 3,
  task: 12,
  kind: "question",
  text: "Which one?",
  choices: ["red", "blue"],
} as unknown as Question

const taskIn = (state: TaskState): Actionable => {
  return { agent: "coder", state, land: "merge", strategy: null, returnsTo: "working" }
}

test("every state has an effect of a reply", () => {
  const effects = Object.keys(TASK).map((state) => [
    state,
    effectOf(taskIn(state as TaskState), false),
  ])
  expect(Object.fromEntries(effects)).toEqual({
    registered: "say",
    planning: "say",
    planning_complete: "reject",
    working: "say",
    shipping: "hold",
    reviews_in_progress: "hold",
    pr_ready: "hold",
    in_approval: "say",
    merging: "hold",
    merge_failed: "restart",
    stuck: "restart",
    paused: "hold",
    complete: "resume",
    cancelled: "over",
  })
  expect(effectOf(undefined, false)).toBe("over")
  expect(effectOf(taskIn("working"), true)).toBe("answer")
  expect(effectOf(taskIn("stuck"), true), "a restart closes the question").toBe("restart")
})

test("a question has its choices, and the way to answer it", () => {
  expect(questionNote(QUESTION)).toBe(
    "Task 12 asks:\n```\nWhich one?\n1. red\n2. blue\n```\nReply here to answer.",
  )
  expect(questionNote({ ...QUESTION, kind: "permission" })).toContain("`yes`, `no`")
  expect(questionNote({ ...QUESTION, kind: "proposal" })).toContain(
    "coppice answer 12 --question 3",
  )
})

test("nothing in an agent's text leaves its block [39.15]", () => {
  const text = "a\n```\n@everyone <!here> [x](https://evil.example)\n```\n\u202ehidden"
  const note = questionNote({ ...QUESTION, text, choices: ["```"] })
  expect(note.match(/```/g)).toHaveLength(2)
  expect(note).toContain("\\u{202e}hidden")
  const long = questionNote({ ...QUESTION, text: "x".repeat(5000) })
  expect(long.length).toBeLessThan(1500)
})

test("a task that needs no person gets no note", () => {
  const task = { id: 12, reason: null, repos: [] }
  expect(stateNote({ ...task, state: "working" })).toBeUndefined()
  expect(stateNote({ ...task, state: "merge_failed" })).toMatch(/^Task 12 stopped\.\nA reply/)
  expect(stateNote({ ...task, state: "in_approval" })).toContain("coppice approve 12")
})
