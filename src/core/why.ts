/** Explains what a task waits for, since when, and what would unblock it. Pure. */
import type { Question } from "./question.ts"
import type { Rest } from "./retry.ts"
import { hasTurns, type Reason, type TaskState } from "./task.ts"
import { describeLanding, type LandingFacts } from "./why-landing.ts"
import { type Busy, busyReason, type Held, whenFree, whyHeld } from "./why-other-task.ts"
import type { TaskDocument } from "./wire.ts"

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
  readonly runs: readonly ("agent" | "setup" | "gate")[]
  /** The question that its agent waits for. */
  readonly question: WhyQuestion | null
  /** An error after which the task rests before the next try. */
  readonly rest: Rest | null
  /** A short wait of its work: for a lock, the network. */
  readonly step: Step | null
  /** Another task works in its place. */
  readonly busy: Busy | null
  /** Set while it is being deleted. */
  readonly deletion: TaskDocument["deletion"]
  /** A person has its conversation, with `coppice attach`. */
  readonly attached: boolean
  /** Its turn waits for its worktree, which another task holds, for a landing for example. */
  readonly held: Held | null
  readonly landing: LandingFacts | null
  /** It is complete, and its work is kept for a person to land (`--land none`). */
  readonly kept: boolean
}

/** `isOnly`: it has no other open question. */
type WhyQuestion = Pick<Question, "id" | "text" | "askedAtMs" | "choices"> & {
  readonly isOnly: boolean
}

export type WhyTurn = {
  readonly n: number
  readonly begun: boolean
  /** It is postponed until this time. */
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

export function why(facts: WhyFacts): Why {
  return facts.deletion === null ? whyInState(facts) : whyDeleted(facts, facts.deletion)
}

function whyInState(facts: WhyFacts): Why {
  const { id, state, reason, updatedAtMs, landing } = facts
  const since = (waitingFor: string, unblock: string): Why => ({
    waitingFor,
    sinceMs: updatedAtMs,
    unblock,
    paths: [],
  })
  if (facts.attached)
    return since(
      "a person, who has its conversation open (`coppice attach`)",
      "that program is closed; a task that was going on then goes on by itself",
    )
  const isCleaned = state === "merging" || state === "cancelled"
  if (facts.rest !== null && (hasTurns(state) || isCleaned)) return whyResting(facts, facts.rest)
  if (facts.question && (state === "working" || state === "planning"))
    return whyAsked(id, facts.question)
  if (facts.busy !== null && (state === "registered" || state === "working"))
    return since(`task ${facts.busy.task}, ${busyReason(facts.busy)}`, whenFree(facts.busy))
  if (facts.step !== null && facts.held === null && (hasTurns(state) || state === "merging"))
    return whyStep(facts.step)
  switch (state) {
    case "registered":
      return since(
        "a free slot for its agent",
        "another task ends, or `limits.concurrent` in coppice.yml is raised",
      )
    case "planning":
    case "working":
      return whyWorking(facts)
    case "merging":
    case "in_approval":
      return landing
        ? whyLanding(facts, landing)
        : since("its landing to begin", "nothing: it begins by itself")
    case "stuck":
      return since(`a person: ${reason?.text ?? "it is stuck"}`, afterStop(facts))
    case "merge_failed":
      return {
        ...since(`a person: ${reason?.text ?? "its landing failed"}`, afterFailure(facts)),
        paths: landing?.paths ?? [],
      }
    case "complete":
    case "cancelled":
      return { ...NOTHING, unblock: facts.kept ? landIt(id) : null }
    default:
      return since(...WAITS[state](id))
  }
}

const whyStep = ({ text, unblock, sinceMs }: Step): Why => ({
  ...{ waitingFor: text, unblock, sinceMs },
  paths: [],
})

function whyResting(facts: WhyFacts, { text, retryAtMs, unblock, isEnded }: Rest): Why {
  const { id, state, updatedAtMs: sinceMs } = facts
  if (isEnded) return waits(`a daemon: ${text}`, unblock ?? "")
  if (unblock !== undefined) return waits(`a person: ${text}`, unblock)
  const isOver = state === "cancelled" // only its clean-up is left, which cannot be resumed
  const again = isOver
    ? "so does the next start of the daemon"
    : `\`coppice resume ${id}\` tries at once`
  return retryAtMs === null
    ? waits(`a person, after many tries: ${text}`, `fix the cause; then ${again}`)
    : waits(
        `an error to pass: ${text}`,
        `fix the cause; the next try is at ${new Date(retryAtMs).toISOString()}; ${again}`,
      )

  function waits(waitingFor: string, unblock: string): Why {
    return { waitingFor, sinceMs, unblock, paths: [] }
  }
}

const NOTHING: Why = { waitingFor: null, sinceMs: null, unblock: null, paths: [] }

/** Not a wait: the task may stay like this for ever. */
const landIt = (id: number) => `\`coppice land ${id}\` lands it, \`coppice diff ${id}\` shows it`

type Deletion = NonNullable<WhyFacts["deletion"]>

function whyDeleted({ id, updatedAtMs: sinceMs }: WhyFacts, { reason }: Deletion): Why {
  const rest = reason === null ? "" : `, after an error: ${reason}`
  const unblock =
    reason === null
      ? `nothing: \`coppice ls\` shows when task ${id} is gone`
      : "fix the cause; the next try is within a minute"
  return { waitingFor: `its deletion${rest}`, sinceMs, unblock, paths: [] }
}

/** States that need no facts beyond the next step. */
const WAITS: Readonly<Record<PlainState, (id: number) => [waitingFor: string, unblock: string]>> = {
  planning_complete: (id) => [
    `a person to approve its plan, which \`coppice show ${id}\` shows`,
    `\`coppice approve ${id}\`, or \`coppice reject ${id} "<what to change>"\``,
  ],
  shipping: () => ["its branch to be pushed and proposed", "nothing: it goes on by itself"],
  reviews_in_progress: () => ["the reviews and checks of its pull request", "they are finished"],
  pr_ready: () => ["its pull request to be merged", "a person merges it"],
  paused: (id) => [
    "a person, who paused it",
    `\`coppice resume ${id}\`, or \`coppice cancel ${id}\``,
  ],
}

type PlainState = Extract<
  TaskState,
  "planning_complete" | "shipping" | "reviews_in_progress" | "pr_ready" | "paused"
>

function afterStop({ id, reason }: WhyFacts): string {
  const words = reason?.code === "needs_decision" ? ' "<your decision>"' : ""
  return `\`coppice restart ${id}${words}\` or \`coppice cancel ${id}\``
}

function afterFailure({ id, agent, landing }: WhyFacts): string {
  const again = `\`coppice land ${id}\` tries again`
  if (agent === null) return `\`coppice logs ${id}\` says what to do; then \`coppice land ${id}\``
  if (landing?.outcome === "WORKTREE_ERROR")
    return `put its worktree right, then ${again}; or \`coppice restart ${id}\` lets an agent do it`
  if (landing?.outcome === "UPDATE_REF_FAILED") return `put right what git refuses, then ${again}`
  return `\`coppice restart ${id}\` lets an agent go on; or mend it in its worktree, then ${again}`
}

function whyWorking(facts: WhyFacts): Why {
  const { id, agent, state, turn, runs, updatedAtMs, heartbeatAtMs } = facts
  const since = (waitingFor: string, unblock: string): Why => ({
    waitingFor,
    sinceMs: updatedAtMs,
    unblock,
    paths: [],
  })
  if (agent === null && !runs.includes("setup"))
    return since("a person, who works in its worktree", `\`coppice worktree land ${id}\` lands it`)
  if (facts.held !== null) return whyHeld(facts.held)
  const does = state === "planning" ? "plans in" : "has"
  const logs = `\`coppice logs ${id} -f\` shows what it does`
  if (turn?.waitsFor && turn.retryAtMs !== null)
    return since(
      turn.waitsFor,
      `it is tried again at ${new Date(turn.retryAtMs).toISOString()}; \`coppice resume ${id}\` tries at once`,
    )
  if (runs.includes("agent") || (turn?.begun ?? true))
    return since(
      `its agent, which ${does} turn ${turn?.n ?? 1}${signOfLife(heartbeatAtMs)}`,
      `the agent stops; ${logs}`,
    )
  if (runs.includes("setup"))
    return since("the set-up of its worktree, which is running", `the set-up ends; ${logs}`)
  return since(
    "a free slot for its agent",
    "another task ends, or `limits.concurrent` in coppice.yml is raised",
  )
}

const signOfLife = (atMs: number | null) =>
  atMs === null ? "" : ` and gave a sign of life at ${new Date(atMs).toISOString()}`

function whyAsked(id: number, { text, askedAtMs, choices, ...question }: WhyQuestion): Why {
  const which = question.isOnly ? "" : ` --question ${question.id}`
  const numbered = choices.map((choice, at) => `${at + 1} (${choice})`).join(" or ")
  return {
    waitingFor: `a person's answer: ${text}`,
    sinceMs: askedAtMs,
    unblock:
      choices.length > 0
        ? `\`coppice answer ${id}${which} <choice>\`, with ${numbered}`
        : `\`coppice answer ${id}${which} "<answer>"\``,
    paths: [],
  }
}

function whyLanding(facts: WhyFacts, landing: LandingFacts): Why {
  const { waitingFor: reason, unblock } = describeLanding(facts, landing)
  const { published } = landing
  const there = published.length > 0 ? ` (it is in ${published.join(", ")} already)` : ""
  const waitingFor = `${reason}${there}`
  return { waitingFor, unblock, sinceMs: landing.sinceMs, paths: landing.paths }
}
