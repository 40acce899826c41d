import { expect, test } from "vitest"
import { standingOf, verdictIn } from "./second-opinion.ts"

const OF = ["a", "b", "c"]
const rows = (...states: ("asked" | "reading" | "approved" | "changes" | "failed")[]) =>
  states.map((state, n) => ({ reviewer: OF[n] ?? "", state }))

test.each([
  [1, rows(), "ask"],
  [1, rows("reading", "asked", "reading"), "wait"],
  [1, rows("changes", "reading", "failed"), "wait"],
  [1, rows("changes", "failed", "changes"), "refused"],
  [2, rows("changes", "reading", "failed"), "refused"],
  [2, rows("approved", "reading", "failed"), "wait"],
  [3, rows("changes"), "refused"],
] as const)("with quorum %i and %j the landing has to %s [47.6]", (quorum, reviews, standing) => {
  expect(standingOf({ of: OF, quorum }, reviews)).toBe(standing)
})

test.each([
  ["APPROVE", { verdict: "approve", comments: "" }],
  ["Looks good.\nApprove\n", { verdict: "approve", comments: "Looks good." }],
  ["CHANGES: rename x", { verdict: "changes", comments: "rename x" }],
  ["Rename x.\nCHANGES", { verdict: "changes", comments: "Rename x." }],
  ["I do not approve", undefined],
  ["approve everything", undefined],
  ["APPROVE\nbut not yet", undefined],
  ["", undefined],
  [null, undefined],
])("the last line of %j is a verdict only if it says nothing else [47.3]", (message, verdict) => {
  expect(verdictIn(message)).toEqual(verdict)
})
