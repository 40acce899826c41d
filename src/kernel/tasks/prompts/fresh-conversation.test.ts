import { expect, test } from "vitest"
import { freshPrompt } from "./fresh-conversation.ts"

const changes = { files: ["A one.txt"], inAll: 1 }
const none = { files: [], inAll: 0 }
const fresh = {
  prompt: "The task.",
  plan: "The plan.",
  changes,
  next: "The gate is red.",
  answered: [],
  begins: false,
}

test("a conversation that begins half-way gets the task, its plan, the work so far and the next prompt", () => {
  const text = freshPrompt(fresh, "working")
  const parts = ["The task.", "The plan.", "A one.txt", "The gate is red."]
  expect(
    parts.map((part) => text.indexOf(part)).every((at, n, all) => at > (all[n - 1] ?? -1)),
  ).toBe(true)
})

test("one that begins with the first prompt gets it as it is, with the changes of an interrupted one", () => {
  const first = { ...fresh, next: "The task.", begins: true }
  expect(freshPrompt({ ...first, changes: none }, "working")).toBe("The task.")
  const text = freshPrompt(first, "working")
  expect(text.match(/The task\./g)).toHaveLength(1)
  expect(text).toContain("A one.txt")
})
