import { expect, test } from "vitest"
import { COMMANDS } from "../../../surfaces/cli/commands.ts"
import { isLanding } from "../../landing/rules/landing-states.ts"
import { isRunnable, LANDING, type LandingOutcome, type LandingState } from "../../landing/rules.ts"
import type { Action } from "../../tasks/rules/action.ts"
import { possibleActions } from "../../tasks/rules/transitions.ts"
import { isSettled, TASK, type TaskState } from "../../tasks/rules.ts"
import { wordsInstead } from "./ways-on.ts"
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
  step: null,
  heartbeatAtMs: null,
  question: null,
  awaited: { tasks: [], proposals: [], asks: null },
  busy: null,
  bounds: [],
  held: null,
  attached: false,
  deletion: null,
  lower: null,
  landing: null,
  pulls: [],
  kept: false,
  can: ["approve", "reject", "say", "land", "pause", "resume", "restart", "cancel", "delete"],
}
const isAction = (word: string): word is Action => (FACTS.can as readonly string[]).includes(word)
const TASK_STATES = Object.keys(TASK) as TaskState[]
const LANDING_STATES = Object.keys(LANDING) as LandingState[]
/** For which a landing waits. */
const WAITS: readonly LandingOutcome[] = [
  "DIRTY_MAIN",
  "LOCKED",
  "TARGET_RED",
  "GATE_UNAVAILABLE",
  "TARGET_GONE",
  "PUSH_REFUSED",
  "LOWER_CLOSED",
  "UNPUSHED",
  "UPSTREAM_APART",
  "UNSIGNED",
  "UPDATE_REF_FAILED",
  "PUSH_FAILED",
]

const NOTHING = {
  paths: [],
  successor: null,
  attempts: 0,
  wakeAtMs: null,
  behind: null,
  place: null,
  heldBy: null,
  lower: null,
  isAgents: false,
  pendingApprovals: [],
  isForReviewers: false,
  reviewers: [],
  published: [],
}

function landing(facts: Partial<NonNullable<WhyFacts["landing"]>>): WhyFacts {
  const queued = { state: "queued", outcome: null, reason: null, sinceMs: 2 } as const
  return {
    ...FACTS,
    landing: { ...queued, ...NOTHING, target: "main", ...facts },
  }
}

test.each(TASK_STATES)(
  "a task that is %s waits for something that can end, or for nothing [12.1]",
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

test("work that reviewers read waits for them, and a person may decide in their place [12.1]", () => {
  const reviewers = [
    { name: "critic", task: 9 },
    { name: "second", task: null },
  ]
  const said = why(landing({ state: "in_review", isForReviewers: true, reviewers }))
  expect(said.waitingFor).toBe("a review by critic (task 9), second")
  expect(said.unblock).toContain("`coppice why 9`")
  expect(said.unblock).toContain("`coppice approve 7`")
})

test("work that was kept waits for nothing, and the command that lands it is named", () => {
  const { waitingFor, unblock } = why({ ...FACTS, state: "complete", kept: true })
  expect([waitingFor, unblock]).toEqual([null, expect.stringContaining("`coppice land 7`")])
})

test("a person moves files only where a file is in the way", () => {
  const stays = (paths: readonly string[]) =>
    why(landing({ state: "waiting", outcome: "DIRTY_MAIN", paths })).unblock
  expect(stays(["a.txt"])).toContain("files in the way")
  expect(stays([])).toContain("put that right")
})

test.each(LANDING_STATES.filter(isRunnable))(
  "a landing that is %s says so, since when",
  (state) => {
    const said = why(landing({ state }))
    expect(said).toMatchObject({ sinceMs: 2, unblock: expect.stringMatching(/./) })
    expect(said.waitingFor).toMatch(/./)
  },
)

test.each(WAITS)("a landing that waits for %s tells its reason and its paths [12.1]", (outcome) => {
  const paths = ["notes.txt"]
  const said = why(landing({ state: "waiting", outcome, reason: "because", paths }))
  const waitingFor = expect.stringContaining("because")
  expect(said).toEqual({ waitingFor, sinceMs: 2, unblock: expect.any(String), paths })
})

test("a landing that a look alone does not help names the command that does", () => {
  for (const outcome of ["TARGET_RED", "GATE_UNAVAILABLE", "UNPUSHED"] as const)
    expect(why(landing({ state: "waiting", outcome, reason: "r" }))).toMatchObject({
      waitingFor: "a person: r",
      unblock: expect.stringContaining("`coppice land 7`"),
    })
})

test("a gate that is slower than its target moves says who moves the target [17.18]", () => {
  const { waitingFor } = why(landing({ state: "gating", reason: "main moved 3 times, by Ann" }))
  expect(waitingFor).toContain("slower than its target moves: main moved 3 times, by Ann")
})

test("a queued landing names the task that is before it", () => {
  const { waitingFor } = why(landing({ behind: 5, place: 3 }))
  expect(waitingFor).toContain("task 5")
  expect(waitingFor).toContain("number 3 of the queue")
})

const OUTCOMES: readonly (LandingOutcome | null)[] = [
  ...[null, "LANDED", "NO_CHANGES", "SQUASH_CONFLICT", "PRE_MERGE_FAILED"],
  ...["WORKTREE_ERROR", "FF_NOT_POSSIBLE", ...WAITS],
] as (LandingOutcome | null)[]
const everywhere = LANDING_STATES.flatMap((state) =>
  OUTCOMES.map((outcome) => ({ state, outcome })),
)

test.each(everywhere)("a landing that is $state, $outcome, has a whole sentence [12.1]", (one) => {
  for (const state of ["merging", "in_approval"] as const)
    for (const reason of [null, "because"]) {
      const said = why({ ...landing({ ...one, reason, attempts: 1 }), state })
      expect(said.sinceMs).toBe(2)
      for (const sentence of [said.waitingFor, said.unblock]) {
        expect(sentence).toMatch(/^\S.*[^\s.:]$/)
        expect(sentence).not.toMatch(/null|undefined/)
      }
    }
})

test("every command that is named is one", () => {
  const known = COMMANDS.map(({ name }) => name)
  const facts = everywhere.map((one) => landing({ ...one, behind: 5, heldBy: 3 }))
  const held = everywhere.map((one) => landing({ ...one, behind: 5 }))
  const failed = OUTCOMES.flatMap((outcome) =>
    [null, "coder"].map((agent) => {
      return { ...landing({ state: "failed", outcome }), state: "merge_failed" as const, agent }
    }),
  )
  const plain = TASK_STATES.map((state) => ({ ...FACTS, state }))
  for (const one of [...facts, ...held, ...failed, ...plain])
    for (const [, verb] of (why(one).unblock ?? "").matchAll(/`coppice (\w+)/g))
      expect(known).toContain(verb)
})

/** The states of a landing that a task of each state can have. */
const LANDINGS: Readonly<Partial<Record<TaskState, readonly (LandingState | null)[]>>> = {
  in_approval: ["in_review"],
  merge_failed: ["failed"],
  stuck: [null, "failed", "handed_back", "cancelled"],
  paused: [null, "paused", "failed", "in_review"],
  complete: [null, "landed", "cancelled"],
  cancelled: [null, "cancelled"],
  ...Object.fromEntries(TASK_STATES.filter(isLanding).map((state) => [state, LANDING_STATES])),
}
/** Commands by the action that they ask for. */
const ACTION_OF: Readonly<Record<string, string>> = { worktree: "land" }

function* allTasks() {
  for (const state of TASK_STATES)
    for (const landingState of LANDINGS[state] ?? [null, "handed_back", "cancelled"])
      for (const agent of ["coder", null])
        for (const land of ["merge", "none", "pr"] as const)
          for (const strategy of ["git_worktree", "static"] as const)
            for (const worktree of ["/w", null]) {
              const task = { state, landingState, agent, land, strategy, returnsTo: null } as const
              yield { ...task, repos: [{ worktree }] }
            }
}

test("no command is named that would be refused: why, refusals and buttons have one table [12.24]", () => {
  const refused = new Set<string>()
  for (const task of allTasks()) {
    const { state, agent, landingState } = task
    const can = possibleActions(task)
    for (const outcome of OUTCOMES)
      for (const isForReviewers of [true, false]) {
        const at = { outcome, isForReviewers, published: outcome === null ? [] : ["app"] }
        const facts = landingState && landing({ ...at, state: landingState }).landing
        const { unblock } = why({ ...FACTS, state, agent, can, landing: facts })
        for (const [command, verb = ""] of (unblock ?? "").matchAll(/`coppice (\w+)[^`]* 7\b/g)) {
          const action = ACTION_OF[verb] ?? verb
          // Resuming a task that goes on is no mistake.
          const isResumed = action === "resume" && !isSettled(state)
          if (!isAction(action) || isResumed || can.includes(action)) continue
          refused.add(`${command}\` of a task that is ${state}, landing ${landingState}, ${agent}`)
        }
      }
    for (const action of ["say"] as const) {
      if (can.includes(action)) continue
      for (const hint of wordsInstead({ id: 7, ...task }))
        for (const [command, verb = ""] of hint.matchAll(/^`coppice (\w+) 7\b/g))
          if (isAction(verb) && !can.includes(verb)) refused.add(`${command} instead in ${state}`)
    }
  }
  expect([...refused]).toEqual([])
})

test("a landing in review names the commits, and how to look at them", () => {
  const head = "0123456789abcdef"
  const said = why({
    ...landing({ state: "in_review", pendingApprovals: [{ name: "app", head }] }),
    state: "in_approval",
  })
  expect(said.waitingFor).toBe("a person to approve 0123456789ab")
  expect(said.unblock).toContain("`coppice diff 7`")
  const two = ["app", "web"].map((name) => ({ name, head }))
  const can = FACTS.can.filter((action) => action !== "reject")
  const byHand = { ...landing({ state: "in_review" }), agent: null, can }
  expect(why(byHand).unblock, "no person needs to know").not.toContain("reject")
  expect(why(landing({ state: "in_review", pendingApprovals: two })).waitingFor).toContain(
    "in app and",
  )
})

test("a landing whose paths conflict names them once it has failed", () => {
  const said = why({ ...landing({ state: "failed", paths: ["a.txt"] }), state: "merge_failed" })
  expect(said.paths).toEqual(["a.txt"])
})

test("a landing that waits for git's lock names the command that removes it, where no git has it", () => {
  const locked = { state: "waiting", outcome: "LOCKED", reason: "r" } as const
  const said = why(landing({ ...locked, paths: ["/x y/.git/index.lock"] }))
  expect(said.unblock).toContain("if none is running, `rm '/x y/.git/index.lock'`")
  expect(why(landing(locked)).unblock).toContain("remove its file")
  expect(why(landing({ ...locked, isAgents: true })).unblock).not.toContain("remove")
})

test("a landing of which a part is on its target says where", () => {
  const part = landing({ state: "waiting", outcome: "LOCKED", reason: "r", published: ["app"] })
  expect(why(part).waitingFor).toMatch(/ \(it is in app already\)$/)
  expect(why(part).unblock).toMatch(/; or `coppice cancel \d+` takes it back in app$/)
})

test("a held landing names the task that it lands after, also behind other landings", () => {
  const said = why(landing({ behind: 5, heldBy: 3 }))
  expect(said.waitingFor).toContain("task 3, which it lands after")
  expect(said.unblock).toContain("`coppice why 3`")
})

test("a stopped task tells its reason, and the commands that lead on", () => {
  const reason = { code: "failed", text: "the key is refused" } as const
  const said = why({ ...FACTS, state: "stuck", reason })
  expect(said.waitingFor).toContain("the key is refused")
  expect(said.unblock).toContain("`coppice restart 7`")
  const asks = { code: "needs_decision", text: "Left or right?" } as const
  const unblock = why({ ...FACTS, state: "stuck", reason: asks }).unblock
  expect(unblock).toBe('`coppice restart 7 "<your decision>"` or `coppice cancel 7`')
  const question = { id: 3, text: "Which?", askedAtMs: 0, choices: [], isOnly: true } as const
  expect(why({ ...FACTS, state: "stuck", reason: asks, question }).unblock).toBe(
    '`coppice answer 7 "<answer>"`: the last answer restarts it; or `coppice restart 7` or `coppice cancel 7`',
  )
  const budget = { code: "budget", text: "It has used all its turns." } as const
  expect(why({ ...FACTS, state: "stuck", reason: budget, question }).unblock).toBe(
    '`coppice answer 7 "<answer>"`; or `coppice restart 7` or `coppice cancel 7`',
  )
})

test("a working task says whether its agent, its set-up or a slot is what it waits for", () => {
  const turn = { n: 2, begun: false, retryAtMs: null, waitsFor: null }
  const working = { ...FACTS, state: "working", turn } as const
  expect(why(working).waitingFor).toContain("a free slot")
  expect(why({ ...working, runs: ["setup"] }).waitingFor).toContain("the set-up")
  expect(why({ ...working, turn: { ...turn, begun: true } }).waitingFor).toContain("turn 2")
  const postponed = { ...turn, retryAtMs: 60_000, waitsFor: "the model API, which is busy" }
  expect(why({ ...working, turn: postponed })).toMatchObject({
    waitingFor: "the model API, which is busy",
    unblock: "it is tried again at 1970-01-01T00:01:00.000Z; `coppice resume 7` tries at once",
  })
  expect(
    why({ ...working, rest: { text: "the disk is full", retryAtMs: 9 } }).waitingFor,
  ).toContain("the disk is full")
})

test("after too many tries a task waits for a person, and says how to try again [12.7]", () => {
  const rest = { text: "the disk is full", retryAtMs: null }
  expect(why({ ...FACTS, state: "working", rest })).toMatchObject({
    waitingFor: "a person, after many tries: the disk is full",
    unblock: expect.stringContaining("coppice resume 7"),
  })
})

test("the reason of a task that waits for a lock or a remote names it, and since when [12.1]", () => {
  const step = { text: "the remote origin to be fetched", unblock: "it answers", sinceMs: 5 }
  const turn = { n: 1, begun: false, retryAtMs: null, waitsFor: null }
  for (const state of ["working", "merging"] as const)
    expect(why({ ...FACTS, state, turn, step })).toMatchObject({
      waitingFor: step.text,
      unblock: step.unblock,
      sinceMs: 5,
    })
})

test("a turn that waits for its worktree says who has it, since when, and where to look", () => {
  const turn = { n: 2, begun: true, retryAtMs: null, waitsFor: null }
  const held = { worktree: "/w/feat", sinceMs: 4, task: 5, isLanding: true }
  expect(why({ ...FACTS, state: "working", turn, runs: ["agent"], held })).toEqual({
    waitingFor: "its worktree (/w/feat), which the landing of task 5 has",
    sinceMs: 4,
    unblock: "that landing is done with it; `coppice why 5` says how far it is",
    paths: [],
  })
})

test("the answer command names the question if several are open", () => {
  const question = { id: 4, text: "which?", askedAtMs: 3, choices: ["red"], isOnly: true }
  const asked = (isOnly: boolean) =>
    why({ ...FACTS, state: "working", question: { ...question, isOnly } })
  expect(asked(true)).toMatchObject({
    sinceMs: 3,
    unblock: "`coppice answer 7 <choice>`, with 1 (red)",
  })
  expect(asked(false).unblock).toBe("`coppice answer 7 --question 4 <choice>`, with 1 (red)")
})

test("a task that is being deleted says so, and which error it rests after [15.9]", () => {
  const pending = { state: "pending", reason: null } as const
  expect(why({ ...FACTS, state: "complete", deletion: pending })).toMatchObject({
    waitingFor: "its deletion",
    unblock: expect.stringContaining("coppice ls"),
  })
  const resting = { ...pending, reason: "the disk is full" }
  expect(why({ ...FACTS, state: "complete", deletion: resting })).toMatchObject({
    waitingFor: expect.stringContaining("the disk is full"),
    unblock: expect.stringContaining("next try"),
  })
})

test("a cancelled task whose clean-up is tried again says which error it rests after", () => {
  const rest = { text: "the disk is full", retryAtMs: 5_000 }
  expect(why({ ...FACTS, state: "cancelled", rest })).toMatchObject({
    waitingFor: expect.stringContaining("the disk is full"),
  })
})

test("a task without a slot names the bounds that are reached, and the tasks that have the slots [12.21]", () => {
  const ofAgent = { key: "agents.coder.max_concurrent", max: 1, tasks: [3] }
  const said = why({ ...FACTS, state: "registered", bounds: [ofAgent] })
  expect(said.waitingFor).toBe("a free slot for its agent (agents.coder.max_concurrent is 1)")
  expect(said.unblock).toBe(
    "task 3 ends, or `agents.coder.max_concurrent` in coppice.yml is raised",
  )
  const tasks = [1, 2, 3, 4, 5, 6, 7, 8]
  const ofAll = { key: "limits.concurrent", max: 8, tasks }
  expect(why({ ...FACTS, state: "registered", bounds: [ofAll] }).unblock).toBe(
    "one of the tasks 1, 2, 3, 4, 5, 6, … ends, or `limits.concurrent` in coppice.yml is raised",
  )
  const both = why({ ...FACTS, state: "registered", bounds: [ofAgent, ofAll] }).unblock
  expect(both).toContain(
    "`agents.coder.max_concurrent` and `limits.concurrent` in coppice.yml are raised",
  )
})
