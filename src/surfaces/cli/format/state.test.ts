import { expect, test } from "vitest"
import { deletionText, stateReason } from "./state.ts"

test("the reason of a wait is shown in words, a long one by its first and last three lines", () => {
  const landing = { state: "waiting", outcome: "DIRTY_MAIN", reason: "f.txt is in the way" }
  expect(stateReason({ state: "merging", reason: null, landing })).toBe(
    "waiting: f.txt is in the way",
  )
  const reason = { code: "failed", text: "it exited with 2\none\n\nmore\ntwo\nthree\nfour\n" }
  expect(stateReason({ state: "stuck", reason, landing: null })).toBe(
    "it exited with 2 … two three four",
  )
})

test("a deletion that is under way shows the error after which it is tried again [15.9]", () => {
  expect(deletionText({ deletion: null })).toBe("")
  const pending = { state: "pending", reason: null } as const
  expect(deletionText({ deletion: pending })).toBe("is being deleted")
  expect(deletionText({ deletion: { ...pending, reason: "disk full" } })).toBe(
    "is being deleted, tried again in a few seconds: disk full",
  )
})
