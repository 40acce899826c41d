import { expect, test } from "vitest"
import { mayApprove, verdictIn } from "./rules.ts"

const OF = ["a", "b", "c"]
const rows = (...states: ("asked" | "reading" | "approved" | "changes" | "failed")[]) =>
  states.map((state, n) => ({ reviewer: OF[n] ?? "", state }))

test.each([
  [1, rows(), true],
  [1, rows("reading", "asked", "reading"), true],
  [1, rows("changes", "reading", "failed"), true],
  [1, rows("changes", "failed", "changes"), false],
  [2, rows("changes", "reading", "failed"), false],
  [2, rows("approved", "reading", "failed"), true],
  [3, rows("changes"), false],
  [1, rows("approved", "approved", "failed"), false],
] as const)(
  "with quorum %i and %j enough reviewers may still approve: %s [47.6]",
  (quorum, reviews, may) => {
    expect(mayApprove({ of: OF, quorum }, reviews)).toBe(may)
  },
)

test.each([
  ["APPROVE", { verdict: "approve", comments: "" }],
  ["Looks good.\nApprove\n", { verdict: "approve", comments: "Looks good." }],
  ["CHANGES: rename x", { verdict: "changes", comments: "rename x" }],
  ["Rename x.\nCHANGES", { verdict: "changes", comments: "Rename x." }],
  ["I do not approve", undefined],
  ["approve everything", undefined],
  ["APPROVE\nbut not yet", undefined],
  ["APPROVE: but not before x is renamed", undefined],
  ["Approve-only-after: x", undefined],
  ["Fine.\nAPPROVE.", { verdict: "approve", comments: "Fine." }],
  ["", undefined],
  [null, undefined],
])("the last line of %j is a verdict only if it says nothing else [47.3]", (message, verdict) => {
  expect(verdictIn(message)).toEqual(verdict)
})
