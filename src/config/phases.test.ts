/** Agents that plan for another agent, or review its work. */
import { expect, test } from "vitest"
import { parseConfig } from "./parse.ts"

test.each([
  [{ review: { by: "coder" } }, "agents.coder.review", /the agent itself/],
  [{ review: { by: "gone" } }, "agents.coder.review", /not configured/],
  [{ review: { of: ["critic", "fixed"] } }, "agents.coder.review", /strategy: static/],
  [{ review: {} }, "agents.coder.review.by", /set one of the two/],
  [{ review: { by: "critic", of: ["critic"] } }, "agents.coder.review.by", /set one of the two/],
  [{ review: { of: ["critic", "critic"] } }, "agents.coder.review.of", /twice/],
  [{ review: { by: "critic", quorum: 2 } }, "agents.coder.review.quorum", /more than/],
  [
    { review: { by: "critic" }, landing: { mode: "pr" } },
    "agents.coder.review",
    /the forge has reviewers/,
  ],
  [{ plan: { by: "coder" } }, "agents.coder.plan.by", /the agent itself/],
  [{ plan: { by: "gone" } }, "agents.coder.plan.by", /not configured/],
])("refuses a reviewer or planner that cannot be asked: %j [47.9]", (coder, path, message) => {
  const fixed = { workspace: { strategy: "static" } }
  const text = JSON.stringify({ version: 1, agents: { coder, critic: {}, fixed } })
  expect(parseConfig(text, {}, "app")).toEqual({
    kind: "invalid",
    problems: [{ path, message: expect.stringMatching(message) }],
  })
})

test("a plan of another agent is `auto` unless it says more, and one reviewer is a quorum [48.1, 47.1]", () => {
  const coder = { plan: { by: "critic" }, review: { by: "critic" } }
  const text = JSON.stringify({ version: 1, agents: { coder, critic: {} } })
  const parsed = parseConfig(text, {}, "app")
  expect(parsed.kind === "ok" && parsed.config.agents[0]).toMatchObject({
    plan: "auto",
    planner: "critic",
    review: { of: ["critic"], quorum: 1 },
  })
})
