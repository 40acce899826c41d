/**
 * Explains what a task waits for, since when, and what would unblock it, as a table. Pure.
 *
 * `ANSWERS`, at the end, lists what each state may wait for; the first answer that applies is given.
 */

import type { TaskDocument } from "../../../api/wire/tasks.ts"
import type { Rest } from "../../../base/retry.ts"
import type { LandingOutcome } from "../../landing/rules.ts"
import type { Purpose } from "../../process/process-purpose.ts"
import type { Action } from "../../tasks/rules/action.ts"
import type { Reason, TaskState } from "../../tasks/rules.ts"
import { waysOn } from "./ways-on.ts"
import { answerTo, type Bound, slotText, type WhyQuestion } from "./why-asked.ts"
import { AUTOMATIC, LANDING_ANSWERS, type LandingFacts } from "./why-landing.ts"

/** Another task that works in the same place. `what`: a work item, or the path of a folder. */
export type Busy = { readonly task: number; readonly what: string }

export type Held = {
  readonly worktree: string
  readonly sinceMs: number
  /** The task whose landing, or else removal, has the worktree or gets it next. */
  readonly task: number
  readonly isLanding: boolean
}

/** A short wait of the work: for a lock, the network. */
export type Step = {
  /** Continues "It waits for". */
  readonly text: string
  /** How it ends. */
  readonly unblock: string
  readonly sinceMs: number
}

export type WhyFacts = {
  readonly id: number
  readonly state: TaskState
  /** Null: a person did the work. */
  readonly agent: string | null
  readonly reason: Reason | null
  readonly updatedAtMs: number
  /** The open turn, if any; `begun`: the agent has its prompt. */
  readonly turn: WhyTurn | null
  /** The agent's last sign of life. */
  readonly heartbeatAtMs: number | null
  /** The processes that run for the task now. */
  readonly runs: readonly Purpose[]
  /** The sub-tasks, and open proposals of some, whose ends it waits for. */
  readonly awaited: {
    readonly tasks: readonly number[]
    readonly proposals: readonly number[]
    /** An open question of one of these tasks, or of a task below one. */
    readonly asks: AskedBelow | null
  }
  /** The question that its agent waits for. */
  readonly question: WhyQuestion | null
  /** An error after which the task rests before the next try. */
  readonly rest: Rest | null
  /** A short wait of its work: for a lock, the network. */
  readonly step: Step | null
  /** The task whose work it starts from, while that has none. */
  readonly lower: { readonly task: number; readonly isCancelled: boolean } | null
  /** Another task works in its place. */
  readonly busy: Busy | null
  /** The task waits for a slot because of these. */
  readonly bounds: readonly Bound[]
  readonly deletion: TaskDocument["deletion"]
  /** A person has its conversation, with `coppice attach`. */
  readonly attached: boolean
  /** The turn waits for its worktree, which another task holds, for a landing for example. */
  readonly held: Held | null
  readonly landing: LandingFacts | null
  /** The task's pull requests, and how they stand. */
  readonly pulls: readonly WhyPull[]
  /** The actions that are possible: no other one is named. */
  readonly can: readonly Action[]
  /** The task is complete, and its work is kept for a person to land (`--land none`). */
  readonly kept: boolean
}

/** `task`: the one whose agent asks. */
type AskedBelow = WhyQuestion & { readonly task: number }

export type WhyPull = {
  readonly url: string
  /** As features/pull-requests/rules.ts says it. */
  readonly text: string
  readonly problem: string | null
}

export type WhyTurn = {
  readonly n: number
  readonly begun: boolean
  /** The turn is postponed until this time. */
  readonly retryAtMs: number | null
  readonly waitsFor: string | null
}

export type Why = {
  /** Null: for nothing. */
  readonly waitingFor: string | null
  readonly sinceMs: number | null
  readonly unblock: string | null
  readonly paths: readonly string[]
}

/** Default: since the task last changed, and no paths. */
type Said = readonly [
  waitingFor: string,
  unblock: string,
  sinceMs?: number,
  paths?: readonly string[],
]
/** Null: it does not apply. */
type Answer = (facts: WhyFacts) => Said | null

export function why(facts: WhyFacts): Why {
  for (const answer of [deleted, attached, ...ANSWERS[facts.state]]) {
    const said = answer(facts)
    if (said === null) continue
    const [waitingFor, unblock, sinceMs = facts.updatedAtMs, paths = []] = said
    return { waitingFor, sinceMs, unblock, paths }
  }
  // Not a wait: the task may stay like this for ever.
  const { id } = facts
  const unblock = `\`coppice land ${id}\` lands it, \`coppice diff ${id}\` shows it`
  return { waitingFor: null, sinceMs: null, unblock: facts.kept ? unblock : null, paths: [] }
}

const deleted: Answer = ({ id, deletion }) =>
  deletion === null
    ? null
    : deletion.reason === null
      ? ["its deletion", `nothing: \`coppice ls\` shows when task ${id} is gone`]
      : [
          `its deletion, after an error: ${deletion.reason}`,
          "fix the cause; the next try is within 5 minutes",
        ]

const attached: Answer = (facts) =>
  facts.attached
    ? [
        "a person, who has its conversation open (`coppice attach`)",
        "that program is closed; a task that was running then continues automatically",
      ]
    : null

/** A cancelled task rests in its clean-up, which a person cannot resume, and which never gives up. */
const resting: Answer = ({ id, state, rest }) => {
  if (rest === null) return null
  const { text, retryAtMs, unblock } = rest
  if (unblock !== undefined) return [`a person: ${text}`, unblock]
  const again = `\`coppice resume ${id}\` tries at once`
  if (retryAtMs === null)
    return [`a person, after many tries: ${text}`, `fix the cause; then ${again}`]
  const next = `fix the cause; the next try is at ${iso(retryAtMs)}`
  return state === "cancelled"
    ? [`an error to pass, before its clean-up continues: ${text}`, next]
    : [`an error to pass: ${text}`, `${next}; ${again}`]
}

const asked: Answer = ({ id, question }) => {
  if (question === null) return null
  const { text, askedAtMs } = question
  return [`a person's answer: ${text}`, answerTo(id, question), askedAtMs]
}

const busy: Answer = (facts) => {
  if (facts.busy === null) return null
  const { task } = facts.busy
  return [
    `task ${task}, ${busyReason(facts.busy)}`,
    `that task is complete; \`coppice show ${task}\` shows it, \`coppice cancel ${task}\` gives it up`,
  ]
}

/** Describes the other task, as the end of a sentence. */
export const busyReason = ({ what }: Busy): string => `which works on ${what}`

const step: Answer = (facts) =>
  facts.step === null || facts.held !== null
    ? null
    : [facts.step.text, facts.step.unblock, facts.step.sinceMs]

const byHand: Answer = ({ id, agent, can, runs }) =>
  agent === null && can.includes("land") && !runs.includes("setup")
    ? ["a person, who works in its worktree", `\`coppice worktree land ${id}\` lands it`]
    : null

const held: Answer = (facts) => {
  if (facts.held === null) return null
  const { task, isLanding, sinceMs } = facts.held
  const unblock = `that landing is done with it; \`coppice why ${task}\` says how far it is`
  return [
    heldReason(facts.held),
    isLanding ? unblock : "nothing: it continues automatically",
    sinceMs,
  ]
}

/** The wait of a turn, as the end of a sentence. */
export function heldReason({ worktree, task, isLanding }: Omit<Held, "sinceMs">): string {
  const what = isLanding ? "the landing" : "the clean-up"
  return `its worktree (${worktree}), which ${what} of task ${task} has`
}

const postponed: Answer = ({ id, turn }) =>
  turn?.waitsFor && turn.retryAtMs !== null
    ? [
        turn.waitsFor,
        `it is tried again at ${iso(turn.retryAtMs)}; \`coppice resume ${id}\` tries at once`,
      ]
    : null

const inTurn: Answer = ({ id, state, turn, runs, heartbeatAtMs }) => {
  if (!runs.includes("agent") && turn?.begun === false) return null
  const does = state === "planning" ? "plans in" : "has"
  const sign = heartbeatAtMs === null ? "" : ` and gave a sign of life at ${iso(heartbeatAtMs)}`
  return [`its agent, which ${does} turn ${turn?.n ?? 1}${sign}`, `the agent stops; ${follow(id)}`]
}

const subTasks: Answer = ({ id, turn, awaited: { tasks, proposals, asks } }) => {
  if (turn !== null || tasks.length + proposals.length === 0) return null
  const [task] = tasks
  if (task === undefined)
    return [
      "a person's answer to its proposals of tasks",
      `\`coppice answer ${id} --question ${proposals[0]} accept\` or \`decline\``,
    ]
  if (asks !== null)
    return [
      `a person's answer to sub-task ${asks.task}: ${asks.text}`,
      answerTo(asks.task, asks),
      asks.askedAtMs,
    ]
  const which = tasks.length === 1 ? `sub-task ${task}` : `sub-tasks ${tasks.join(", ")}`
  const end = tasks.length === 1 ? "it ends" : "one of them ends"
  return [
    `its ${which}`,
    `${end}; \`coppice why ${task}\` says what it waits for, \`coppice cancel ${id} --tree\` gives all of them up`,
  ]
}

const setUp: Answer = ({ id, runs }) =>
  runs.includes("setup")
    ? ["the set-up of its worktree, which is running", `the set-up ends; ${follow(id)}`]
    : null

const lower: Answer = ({ id, lower: below }) => {
  if (below === null) return null
  const { task, isCancelled } = below
  return isCancelled
    ? [
        `the work of task ${task}, which it starts from and which was cancelled`,
        `\`coppice cancel ${id}\`, and a new task without \`--on\``,
      ]
    : [
        `the work of task ${task}, which it starts from`,
        `the first turn of task ${task} ends; \`coppice why ${task}\` says what it waits for`,
      ]
}

const slot: Answer = ({ bounds }) => slotText(bounds)

const landing: Answer = (facts) => {
  if (facts.landing === null) return ["its landing to begin", "nothing: it begins automatically"]
  const { state, published, sinceMs, paths } = facts.landing
  const [waitingFor, unblock] = LANDING_ANSWERS[state]({ ...facts, ...facts.landing })
  const there = published.length > 0 ? ` (it is in ${published.join(", ")} already)` : ""
  return [`${waitingFor}${there}`, unblock, sinceMs, paths]
}

const failed: Answer = ({ id, agent, can, reason, landing, updatedAtMs }) => {
  const waitingFor = `a person: ${reason?.text ?? "its landing failed"}`
  if (!can.includes("land"))
    return [waitingFor, `\`coppice cancel ${id}\` gives it up`, updatedAtMs, landing?.paths ?? []]
  const again = `\`coppice land ${id}\` tries again`
  const withSteps = `\`coppice restart ${id}\` lets an agent continue; or \`coppice logs ${id}\` shows the commands to do it yourself`
  const byOutcome: Partial<Record<LandingOutcome, string>> = {
    SQUASH_CONFLICT: withSteps,
    PRE_MERGE_FAILED: withSteps,
    WORKTREE_ERROR: `put that right, then ${again}; or \`coppice restart ${id}\` lets an agent do it`,
    UPDATE_REF_FAILED: `fix the cause of the refusal, then ${again}`,
  }
  const unblock =
    agent === null
      ? `\`coppice logs ${id}\` says what to do; then \`coppice land ${id}\``
      : ((landing?.outcome && byOutcome[landing.outcome]) ??
        `\`coppice restart ${id}\` lets an agent continue; or fix it in its worktree, then ${again}`)
  return [waitingFor, unblock, updatedAtMs, landing?.paths ?? []]
}

const pulls: Answer = ({ state, pulls }) => {
  const [problem] = pulls.flatMap((pull) => pull.problem ?? [])
  const named = pulls.map(({ url, text }) => `${url} (${text})`).join(", ")
  const what = state === "pr_ready" ? "its pull request to be merged" : "its pull request"
  const ends =
    state === "pr_ready"
      ? "a person merges it"
      : "it is approved, its checks pass, and it is merged"
  return [
    `${what}: ${named}${problem === undefined ? "" : `; ${problem}`}`,
    `${ends}; Coppice notices`,
  ]
}

/** A task that ships waits for its pull requests once they are open, else for its landing. */
const proposing: Answer = (facts) =>
  facts.landing?.state === "proposed" ? pulls(facts) : landing(facts)

/** The ways on for a task that stopped with its pull request. */
function onForge({ reason, landing }: WhyFacts): string {
  if (reason?.code !== "pull_request") return ""
  const what = landing?.outcome === "PULL_REQUEST_CLOSED" ? "open it again" : "merge it"
  return `${what} on the forge, and Coppice notices; or `
}

const iso = (atMs: number) => new Date(atMs).toISOString()
const follow = (id: number) => `\`coppice logs ${id} -f\` shows what it does`

/** The possible waits of each state, in the order in which they are asked. */
const ANSWERS: Readonly<Record<TaskState, readonly Answer[]>> = {
  registered: [resting, lower, busy, slot],
  planning: [resting, asked, step, byHand, held, postponed, inTurn, setUp, slot],
  planning_complete: [
    ({ id, can }) => [
      `a person to approve its plan, which \`coppice show ${id}\` shows`,
      waysOn(can, [
        ["approve", `\`coppice approve ${id}\``],
        ["reject", `\`coppice reject ${id} "<what to change>"\``],
      ]) ?? AUTOMATIC,
    ],
  ],
  working: [resting, asked, subTasks, busy, step, byHand, held, postponed, inTurn, setUp, slot],
  shipping: [resting, step, landing],
  reviews_in_progress: [resting, step, proposing],
  pr_ready: [resting, step, proposing],
  in_approval: [landing],
  merging: [resting, step, landing],
  merge_failed: [failed],
  stuck: [
    (facts) => {
      const { id, reason } = facts
      const [, answers] = asked(facts) ?? []
      const decision = reason?.code === "needs_decision" && !answers ? ' "<your decision>"' : ""
      const restarts = reason?.code === "budget" ? "" : ": the last answer restarts it"
      const ways =
        waysOn(
          facts.can,
          [
            ["restart", `\`coppice restart ${id}${decision}\``],
            ["cancel", `\`coppice cancel ${id}\``],
          ],
          " or ",
        ) ?? AUTOMATIC
      return [
        `a person: ${reason?.text ?? "it is stuck"}`,
        answers ? `${answers}${restarts}; or ${ways}` : `${onForge(facts)}${ways}`,
      ]
    },
  ],
  paused: [
    ({ id }) => [
      "a person, who paused it",
      `\`coppice resume ${id}\`, or \`coppice cancel ${id}\``,
    ],
  ],
  complete: [],
  cancelled: [resting],
}
