/** Agents that take over from another agent. */
import { expect, test } from "vitest"
import { parseConfig } from "./parse.ts"

const problemsWith = (coder: object, others: object) => {
  const text = JSON.stringify({ version: 1, agents: { coder, other: {}, ...others } })
  const parsed = parseConfig(text, {}, "app")
  return parsed.kind === "invalid" ? parsed.problems : []
}
const other = ["other"]
const guarded = { permissions: { deny: ["Bash(git push *)"] } }

test.each([
  [{ fallback: ["gone"] }, {}, /not configured/],
  [{ fallback: ["coder"] }, {}, /the agent itself/],
  [{ fallback: ["other", "other"] }, {}, /twice/],
  [{ fallback: other, containment: "sandbox" }, {}, /not contained/],
  [
    { fallback: other, containment: "sandbox", contained: { network: false } },
    { other: { containment: "sandbox" } },
    /reach more of the network/,
  ],
  [
    { fallback: other, containment: "sandbox", contained: { network: ["a.example"] } },
    { other: { containment: "sandbox", contained: { network: ["*.a.example"] } } },
    /reach more of the network/,
  ],
  [
    { fallback: other, workspace: { strategy: "static" } },
    { other: { containment: "sandbox" } },
    /strategy: static/,
  ],
  [{ fallback: other, ...guarded }, {}, /other `permissions`/],
  [{ fallback: other, review: { by: "other" } }, {}, /reviews its work/],
])(
  "refuses a fallback that is no agent, or fenced in less: %j %j [50.7]",
  (coder, others, message) => {
    const path = "agents.coder.fallback"
    expect(problemsWith(coder, others)).toEqual([{ path, message: expect.stringMatching(message) }])
  },
)

test("two agents may take over from each other, and a fallback may be fenced in more [50.7]", () => {
  expect(problemsWith({ fallback: other }, { other: { fallback: ["coder"] } })).toEqual([])
  const contained = { containment: "sandbox", contained: { network: false } }
  expect(problemsWith({ fallback: other }, { other: contained })).toEqual([])
  expect(problemsWith({ fallback: other, ...guarded }, { other: guarded })).toEqual([])
})
