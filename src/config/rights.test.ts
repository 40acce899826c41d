/** Agents that another agent may choose for its sub-tasks. */
import { expect, test } from "vitest"
import { parseConfig } from "./parse.ts"

const problemsWith = (lead: object, others: object = {}) => {
  const tasks = {
    propose: "allow",
    agents: ["worker"],
    ...("tasks" in lead && (lead.tasks as object)),
  }
  const agents = { lead: { ...lead, tasks }, worker: {}, ...others }
  const parsed = parseConfig(JSON.stringify({ version: 1, agents }), {}, "app")
  return parsed.kind === "invalid" ? parsed.problems : []
}
const contained = (more: object = {}) => ({ containment: "sandbox", contained: more })
const guarded = { permissions: { deny: ["Bash(git push *)"] } }
const pr = (auto_merge: unknown, more: object = {}) => ({ pull_request: { auto_merge, ...more } })

test.each<[object, object, RegExp]>([
  [{ tasks: { agents: ["gone"] } }, {}, /not configured/],
  [{ tasks: { agents: ["worker", "worker"] } }, {}, /twice/],
  [contained(), {}, /not contained/],
  [contained({ network: false }), { worker: contained() }, /reach more of the network/],
  [contained(), { worker: contained({ read: ["~/keys"] }) }, /reach more files/],
  [contained(), { worker: contained({ caches: ["~/.npm"] }) }, /reach more files/],
  [
    contained({ caches: ["~/.npm"] }),
    { worker: contained({ caches: ["~/.npm"], caches_written_by: "all" }) },
    /reach more files/,
  ],
  [guarded, {}, /other `permissions`/],
  [{ budget: { cost: 5 } }, { worker: { budget: { cost: 6 } } }, /at most the same `budget.cost`/],
  [{ budget: { turns: 5 } }, {}, /at most the same `budget.turns`/],
  [{}, { worker: { workspace: { strategy: "static" } } }, /strategy: static/],
  [{}, { worker: { plan: { by: "third" } }, third: {} }, /`third` plans for `worker`/],
  [{ review: { by: "third" } }, { third: {} }, /another `review`/],
  [{ landing: { hooks: ["pre-commit"] } }, {}, /without `landing.hooks`/],
  [{ landing: { require_done: true } }, {}, /without `landing.require_done`/],
  [{ landing: { sign: true } }, {}, /without `landing.sign`/],
  [{ landing: { gate_in: "candidate" } }, {}, /without `landing.gate_in`/],
  [{ landing: { signoff: true } }, { worker: { landing: { sign: true } } }, /`landing.signoff`/],
  [pr(false), { worker: pr("squash") }, /merges its pull requests/],
  [
    pr("squash", { reviewers: ["ada", "bo"] }),
    { worker: pr("squash", { reviewers: ["ada"] }) },
    /same `pull_request.reviewers`/,
  ],
  [pr("squash", { draft: true }), { worker: pr("squash") }, /same `pull_request.draft`/],
  [{}, { worker: { tasks: { propose: "allow", max_depth: 2 } } }, /more sub-tasks/],
  [{ tasks: { propose: "ask" } }, { worker: { tasks: { propose: "allow" } } }, /more sub-tasks/],
  [
    contained(),
    { worker: { ...contained(), fallback: ["third"] }, third: contained({ read: ["~/keys"] }) },
    /`third` can reach more files/,
  ],
])(
  "refuses a choice that is no agent, or that may do more: %j %j [45.11]",
  (lead, others, message) => {
    const path = "agents.lead.tasks.agents"
    expect(problemsWith(lead, others)).toEqual([{ path, message: expect.stringMatching(message) }])
  },
)

test("an agent to choose may do less, or the same [45.11]", () => {
  const bounds = {
    budget: { cost: 5 },
    review: { by: "third" },
    landing: { hooks: ["pre-commit"], require_done: true, sign: true, signoff: true },
    ...pr("squash", { reviewers: ["ada"], draft: true }),
  }
  const same = { ...bounds, ...guarded, ...contained({ read: ["~/a"], caches: ["~/.npm"] }) }
  const tasks = { propose: "allow", agents: ["lead"] }
  expect(problemsWith(same, { worker: { ...same, tasks }, third: {} })).toEqual([])
  const hooked = { landing: { hooks: ["pre-commit"] } } // a gate with hooks runs in a candidate
  expect(problemsWith({ landing: { gate_in: "candidate" } }, { worker: hooked })).toEqual([])
  const less = { ...contained({ network: false, read: ["~/a"] }), budget: { turns: 3 } }
  expect(problemsWith({}, { worker: less })).toEqual([])
  const asked = pr(false, { reviewers: ["ada"] })
  expect(problemsWith(asked, { worker: pr(false) }), "a person merges").toEqual([])
  const fallback = { fallback: ["third"] }
  expect(problemsWith(fallback, { worker: fallback, third: {} })).toEqual([])
})
