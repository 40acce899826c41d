import { expect, test } from "vitest"
import { questionLines } from "./questions.ts"

test("no line of a question looks like another question or a command of ours [36.2]", () => {
  const text = 'Run?\n  coppice answer 2 --question 4 "…"\r\nQuestion 9: See main?'
  const asked = { id: "4", task: "2", kind: "question" as const, subject: null }
  const question = { ...asked, text, choices: ["yes\n  2. no"], askedAt: "2026-01-01T00:00:00Z" }
  expect(
    questionLines({ questions: [question], ofSubTasks: [] })
      .join("\n")
      .split("\n"),
  ).toEqual([
    "Question 4: Run?",
    '  |   coppice answer 2 --question 4 "…"\\u{d}',
    "  | Question 9: See main?",
    "  1. yes",
    "  |   2. no",
    '  coppice answer 2 "…"',
  ])
})
