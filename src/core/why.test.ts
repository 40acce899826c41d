import { expect, test } from "vitest"
import { isRunnable, LANDING, type LandingOutcome, type LandingState } from "./landing.ts"
import { TASK, type TaskState } from "./task.ts"
import { type WhyFacts, why } from "./why.ts"

const FACTS: WhyFacts = {
  id: 7,
  state: "merging",
  agent: "coder",
  reason: null,
  updatedAtMs: 1,
  turn: null,
  runs: [],
  rest: null,
  landing: null,
}
const TASK_STATES = Object.keys(TASK) as TaskState[]
const LANDING_STATES = Object.keys(LANDING) as LandingState[]
/** For which a landing waits. */
const WAITS: readonly LandingOutcome[] = [
  "DIRTY_MAIN",
  "LOCKED",
  "TARGET_RED",
  "GATE_UNAVAILABLE",
  "UPDATE_REF_FAILED",
]

function landing(facts: Partial<NonNullable<WhyFacts["landing"]>>): WhyFacts {
  const queued = { state: "queued", outcome: null, reason: null, sinceMs: 2 } as const
  return {
    ...FACTS,
    landing: { ...queued, target: "main", paths: [], behind: null, heldBy: null, ...facts },
  }
}

test.each(TASK_STATES)(
  "a task that is %s waits for something that can end, or for nothing",
  (state) => {
    const { waitingFor, sinceMs, unblock } = why({ ...FACTS, state })
    const isOver = state === "complete" || state === "cancelled"
    expect({ waitingFor, sinceMs, unblock }).toEqual(
      isOver
        ? { waitingFor: null, sinceMs: null, unblock: null }
        : {
            waitingFor: expect.stringMatching(/./),
            sinceMs: 1,
            unblock: expect.stringMatching(/./),
          },
    )
  },
)

test.each(LANDING_STATES.filter(isRunnable))(
  "a landing that is %s says so, since when",
  (state) => {
    const said = why(landing({ state }))
    expect(said).toMatchObject({ sinceMs: 2, unblock: expect.stringMatching(/./) })
    expect(said.waitingFor).toMatch(/./)
  },
)

test.each(WAITS)("a landing that waits for %s tells its reason and its paths", (outcome) => {
  const paths = ["notes.txt"]
  const said = why(landing({ state: "waiting", outcome, reason: "because", paths }))
  expect(said).toEqual({ waitingFor: "because", sinceMs: 2, unblock: expect.any(String), paths })
})

test("a landing that a look alone does not help names the command that does", () => {
  for (const outcome of ["TARGET_RED", "GATE_UNAVAILABLE"] as const)
    expect(why(landing({ state: "waiting", outcome })).unblock).toContain("`coppice land 7`")
})

test("a queued landing names the task that is before it", () => {
  expect(why(landing({ behind: 5 })).waitingFor).toContain("task 5")
})

test("a landing that is held names the task that it lands after, whoever is before it", () => {
  const said = why(landing({ behind: 5, heldBy: 3 }))
  expect(said.waitingFor).toContain("task 3, which it lands after")
  expect(said.unblock).toContain("`coppice why 3`")
})

test("a stopped task tells its reason, and the commands that lead on", () => {
  const reason = { code: "failed", text: "the key is refused" } as const
  const said = why({ ...FACTS, state: "stuck", reason })
  expect(said.waitingFor).toContain("the key is refused")
  expect(said.unblock).toContain("`coppice restart 7`")
})

test("a working task says whether its agent, its set-up or a slot is what it waits for", () => {
  const working = { ...FACTS, state: "working", turn: { n: 2, begun: false } } as const
  expect(why(working).waitingFor).toContain("a free slot")
  expect(why({ ...working, runs: ["setup"] }).waitingFor).toContain("the set-up")
  expect(why({ ...working, turn: { n: 2, begun: true } }).waitingFor).toContain("turn 2")
  expect(why({ ...working, rest: "the disk is full" }).waitingFor).toContain("the disk is full")
})
