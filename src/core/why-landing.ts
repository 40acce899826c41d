/** Explains what a landing waits for, and what would unblock it. Pure. */
import type { LandingOutcome, LandingState } from "./landing.ts"
import { shellWord } from "./shell-word.ts"

export type LandingFacts = {
  readonly state: LandingState
  readonly outcome: LandingOutcome | null
  readonly reason: string | null
  readonly sinceMs: number
  readonly target: string
  readonly paths: readonly string[]
  /** It waits for an agent's turn in a shared worktree. */
  readonly isAgents: boolean
  /** Failed tries of publishing. */
  readonly attempts: number
  /** The task whose landing is ahead in the queue. */
  readonly behind: number | null
  /** Its place in the queue of its target, from 1; null outside the queues. */
  readonly place: number | null
  /** Repositories whose targets have moved already, while others have not. */
  readonly published: readonly string[]
  /** An unfinished task that it lands after. */
  readonly heldBy: number | null
  /** Commits without an approval, with the names of their repositories. */
  readonly inReview: readonly { readonly name: string; readonly head: string }[]
}

type TaskFacts = { readonly id: number; readonly agent: string | null }
type Said = { readonly waitingFor: string; readonly unblock: string }

const BY_ITSELF = "nothing: it goes on by itself"

/** @param task the task to name in commands; a null `agent` cannot take messages. */
export function describeLanding(task: TaskFacts, landing: LandingFacts): Said {
  const { id } = task
  const { state, target, reason, outcome } = landing
  switch (state) {
    case "snapshotting":
      return outcome === "FF_NOT_POSSIBLE"
        ? { waitingFor: `its next round: ${reason ?? "the target moved"}`, unblock: BY_ITSELF }
        : { waitingFor: "a snapshot of the work", unblock: BY_ITSELF }
    case "in_review":
      return describeReview(task, landing)
    case "queued":
      return describeQueued(landing)
    case "preparing":
      return { waitingFor: `its work to be put on top of ${target}`, unblock: BY_ITSELF }
    case "syncing":
      return { waitingFor: "its worktree to be made ready for the gate", unblock: BY_ITSELF }
    case "gating":
      return { waitingFor: "the gate, which is running", unblock: "the gate ends" }
    case "publishing":
      return { waitingFor: `${target} to be moved`, unblock: BY_ITSELF }
    case "cleaning":
      return {
        waitingFor: "its agent's process to end, so that the worktree can go",
        unblock: "the process ends",
      }
    case "waiting":
      return orGiveUp(id, landing, describeWait(id, landing))
    case "paused":
      return { waitingFor: "its task to go on", unblock: `\`coppice resume ${id}\`` }
    case "handed_back":
      return { waitingFor: `its agent to resolve it: ${cause(landing)}`, unblock: BY_ITSELF }
    case "failed":
      return { waitingFor: `a person: ${cause(landing)}`, unblock: `\`coppice land ${id}\`` }
    case "landed":
    case "cancelled":
      return { waitingFor: "its record", unblock: BY_ITSELF }
  }
}

const cause = ({ reason, outcome }: LandingFacts) => reason ?? outcome ?? "it did not land"

function describeReview({ id, agent }: TaskFacts, { inReview, reason }: LandingFacts): Said {
  const isOne = inReview.length <= 1
  const named = inReview.map(({ name, head }) =>
    isOne ? head.slice(0, 12) : `${head.slice(0, 12)} in ${name}`,
  )
  const what = named.length > 0 ? named.join(" and ") : "the result"
  const no = agent === null ? `cancel ${id}` : `reject ${id} "<what to change>"`
  return {
    waitingFor: `a person to approve ${what}${reason ? `; it ${reason}` : ""}`,
    unblock: `\`coppice approve ${id}\`, or \`coppice ${no}\`; \`coppice diff ${id}\` shows it`,
  }
}

function describeQueued({ target, behind, heldBy, place }: LandingFacts): Said {
  if (heldBy !== null)
    return {
      waitingFor: `task ${heldBy}, which it lands after`,
      unblock: `task ${heldBy} is complete, or cancelled; \`coppice why ${heldBy}\` says what it waits for`,
    }
  if (behind === null)
    return { waitingFor: `its turn to land on ${target}, which has come`, unblock: BY_ITSELF }
  const nth = place === null ? "" : `; it is number ${place} of the queue`
  return {
    waitingFor: `the landing of task ${behind}, which is before it for ${target}${nth}`,
    unblock: `task ${behind} lands, fails or waits; \`coppice queue\` shows the order`,
  }
}

const TURN_ENDS = "that agent's turn ends: what shares a worktree lands between turns"

/** @param paths of the locks; none where the lock went in the instant in which we looked. */
function lockEnds(paths: readonly string[]): string {
  const remove = paths.length > 0 ? `\`rm ${paths.map(shellWord).join(" ")}\`` : "remove its file"
  return `the git command that holds the lock ends; if none is running, ${remove}`
}

/** A decided landing runs to its end; while it waits, a person may give it up. */
function orGiveUp(id: number, { published }: LandingFacts, { waitingFor, unblock }: Said): Said {
  if (published.length === 0) return { waitingFor, unblock }
  const where = published.join(", ")
  return {
    waitingFor,
    unblock: `${unblock}; or \`coppice cancel ${id}\` takes it back in ${where}`,
  }
}

function describeWait(id: number, landing: LandingFacts): Said {
  const { outcome, reason, target, attempts } = landing
  const waitingFor = reason ?? "something that is in the way"
  switch (outcome) {
    case "DIRTY_MAIN":
      return {
        waitingFor,
        unblock: "commit, stash or move the files in the way; Coppice checks every 2 s",
      }
    case "LOCKED":
      return { waitingFor, unblock: landing.isAgents ? TURN_ENDS : lockEnds(landing.paths) }
    case "TARGET_RED":
      return {
        waitingFor,
        unblock: `make the gate pass on ${target}; then it goes on by itself, or \`coppice land ${id}\``,
      }
    case "GATE_UNAVAILABLE":
      return { waitingFor, unblock: `fix the cause, then \`coppice land ${id}\`` }
    case "TOO_MUCH_LEFT":
      return { waitingFor, unblock: `do one of these, then \`coppice land ${id}\`` }
    case "UPDATE_REF_FAILED":
      return {
        waitingFor: `git to move ${target}, which it refused (try ${attempts}): ${waitingFor}`,
        unblock: `nothing: it is tried again by itself; \`coppice land ${id}\` tries at once`,
      }
    default:
      return { waitingFor, unblock: "nothing: it is tried again by itself" }
  }
}
