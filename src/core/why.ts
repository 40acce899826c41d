/** Says in a sentence what a task waits for, since when, and what would unblock it. Pure. */
import type { LandingOutcome, LandingState } from "./landing.ts"
import type { Reason, TaskState } from "./task.ts"

export type WhyFacts = {
  readonly id: number
  readonly state: TaskState
  /** Null: no agent of ours did the work. */
  readonly agent: string | null
  readonly reason: Reason | null
  readonly updatedAtMs: number
  /** The open turn, when there is one; `begun`: the agent has been given it. */
  readonly turn: { readonly n: number; readonly begun: boolean } | null
  /** What runs for the task now. */
  readonly runs: readonly ("agent" | "setup" | "gate")[]
  /** An error after which the task rests before it is tried again. */
  readonly rest: string | null
  readonly landing: {
    readonly state: LandingState
    readonly outcome: LandingOutcome | null
    readonly reason: string | null
    readonly sinceMs: number
    readonly target: string
    readonly paths: readonly string[]
    /** The task whose landing is before it in the queue. */
    readonly behind: number | null
    /** A task that it lands after, and that is not done. */
    readonly heldBy: number | null
  } | null
}

export type Why = {
  /** Null: for nothing. */
  readonly waitingFor: string | null
  readonly sinceMs: number | null
  readonly unblock: string | null
  readonly paths: readonly string[]
}

export function why(facts: WhyFacts): Why {
  const { id, state, reason, updatedAtMs, landing } = facts
  const since = (waitingFor: string, unblock: string): Why => ({
    waitingFor,
    sinceMs: updatedAtMs,
    unblock,
    paths: [],
  })
  if (facts.rest !== null && (state === "working" || state === "merging"))
    return since(
      `an error to pass: ${facts.rest}`,
      "what it names is put right; it is tried again every few seconds",
    )
  switch (state) {
    case "registered":
      return since(
        "a free slot for its agent",
        "another task ends, or `limits.concurrent` in coppice.yml is raised",
      )
    case "working":
      return whyWorking(facts)
    case "merging":
    case "in_approval":
      return landing
        ? whyLanding(id, landing)
        : since("its landing to begin", "nothing: it begins by itself")
    case "stuck":
      return since(
        `a person: ${reason?.text ?? "it is stuck"}`,
        `\`coppice restart ${id}\` or \`coppice cancel ${id}\``,
      )
    case "merge_failed":
      return {
        ...since(
          `a person: ${reason?.text ?? "its landing failed"}`,
          facts.agent === null
            ? `\`coppice logs ${id}\` says what to do; then \`coppice land ${id}\``
            : `\`coppice restart ${id}\` lets an agent go on, \`coppice land ${id}\` tries again`,
        ),
        paths: landing?.paths ?? [],
      }
    case "complete":
    case "cancelled":
      return { waitingFor: null, sinceMs: null, unblock: null, paths: [] }
    default:
      return since("a person", `\`coppice show ${id}\` shows where it stands`)
  }
}

function whyWorking({ id, turn, runs, updatedAtMs }: WhyFacts): Why {
  const since = (waitingFor: string, unblock: string): Why => ({
    waitingFor,
    sinceMs: updatedAtMs,
    unblock,
    paths: [],
  })
  const logs = `\`coppice logs ${id} -f\` shows what it does`
  if (runs.includes("agent") || (turn?.begun ?? true))
    return since(`its agent, which has turn ${turn?.n ?? 1}`, `the agent stops; ${logs}`)
  if (runs.includes("setup"))
    return since("the set-up of its worktree, which is running", `the set-up ends; ${logs}`)
  return since(
    "a free slot for its agent, or its worktree to be made",
    "another task ends, or `limits.concurrent` in coppice.yml is raised",
  )
}

type LandingFacts = NonNullable<WhyFacts["landing"]>

function whyLanding(id: number, landing: LandingFacts): Why {
  const { waitingFor, unblock } = describe(id, landing)
  return { waitingFor, unblock, sinceMs: landing.sinceMs, paths: landing.paths }
}

function describe(id: number, landing: LandingFacts): { waitingFor: string; unblock: string } {
  const { state, target, behind, heldBy } = landing
  if (state === "waiting") return describeWait(id, landing)
  if (state === "queued" && heldBy !== null)
    return {
      waitingFor: `task ${heldBy}, which it lands after`,
      unblock: `task ${heldBy} is complete, or cancelled; \`coppice why ${heldBy}\` says what it waits for`,
    }
  if (state === "queued" && behind !== null)
    return {
      waitingFor: `the landing of task ${behind}, which is before it for ${target}`,
      unblock: `task ${behind} lands, fails or waits`,
    }
  if (state === "in_review")
    return {
      waitingFor: `a person to approve what it made${landing.reason ? `; it ${landing.reason}` : ""}`,
      unblock: `\`coppice approve ${id}\`, or \`coppice reject ${id}\``,
    }
  if (state === "gating")
    return { waitingFor: "the gate, which is running", unblock: "the gate ends" }
  if (state === "cleaning")
    return {
      waitingFor: "its agent's process to end, so that the worktree can go",
      unblock: "the process ends",
    }
  return { waitingFor: `its landing, which is ${state}`, unblock: "nothing: it goes on by itself" }
}

function describeWait(id: number, { outcome, reason, target }: LandingFacts) {
  const waitingFor = reason ?? "something that is in the way"
  switch (outcome) {
    case "DIRTY_MAIN":
      return {
        waitingFor,
        unblock: "commit, stash or move what is in the way; it is looked at again every 2 s",
      }
    case "LOCKED":
      return {
        waitingFor,
        unblock:
          "the git command that holds the lock ends; if none is running, remove the lock file",
      }
    case "TARGET_RED":
      return {
        waitingFor,
        unblock: `make the gate pass on ${target}; then it goes on by itself, or \`coppice land ${id}\``,
      }
    case "GATE_UNAVAILABLE":
      return { waitingFor, unblock: `put the gate right, then \`coppice land ${id}\`` }
    default:
      return { waitingFor, unblock: "nothing: it is tried again by itself" }
  }
}
