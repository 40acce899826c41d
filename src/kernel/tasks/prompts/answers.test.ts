import { expect, test } from "vitest"
import type { TaskId } from "../../../base/ids.ts"
import type { Question } from "../rules/question.ts"
import { answersPrompt, toAnswer } from "./answers.ts"

const QUESTION: Question = {
  id: 1,
  task: 7 as TaskId,
  turn: 1,
  kind: "question",
  text: "which?",
  choices: [],
  subject: null,
  askedAtMs: 1,
  answer: null,
  answeredAtMs: null,
  closedAtMs: null,
}
const said = (question: Partial<Question>, text: string) =>
  toAnswer({ ...QUESTION, ...question }, text)

test("a choice is named by its text or its number, and any other text is an answer too", () => {
  const choices = ["red", "blue"]
  expect(["2", "BLUE", "green"].map((text) => said({ choices }, text))).toEqual([
    "blue",
    "blue",
    "green",
  ])
})

test("a number without a choice is refused, unless any text is an answer", () => {
  expect(said({ choices: ["red", "blue"] }, "3")).toBeUndefined()
  expect(said({ choices: ["8080", "3"] }, "3")).toBe("3")
  expect(said({ choices: [] }, "3")).toBe("3")
})

test("a permission and a proposal need a clear word, and a refusal may say why", () => {
  const permission = { kind: "permission", choices: ["allow", "deny"] } as const
  const texts = ["allow", "yes", "no", "deny: not there", "maybe", "1"]
  expect(texts.map((one) => said(permission, one))).toEqual([
    "allow",
    "allow",
    "deny",
    "deny: not there",
    undefined,
    "allow",
  ])
  const proposal = { kind: "proposal", choices: ["accept", "decline"] } as const
  expect(["y", "n", "later"].map((one) => said(proposal, one))).toEqual([
    "accept",
    "decline",
    undefined,
  ])
})

test("the agent gets each answer with its question", () => {
  const prompt = answersPrompt(
    [
      { ...QUESTION, answer: "left" },
      { ...QUESTION, kind: "permission", text: "use Bash: ls", answer: "allow" },
      { ...QUESTION, kind: "permission", text: "use Bash: rm x", answer: "deny: it is mine" },
    ],
    "working",
  )
  expect(prompt).toContain("You asked:\n\n```\nwhich?\n```\n\nThe answer: left")
  expect(prompt).toContain("You asked:\n\n```\nuse Bash: ls\n```\n\nYou may.")
  expect(prompt).toContain("You asked:\n\n```\nuse Bash: rm x\n```\n\nYou may not: it is mine.")
})
