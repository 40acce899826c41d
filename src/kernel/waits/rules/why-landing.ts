/** Explains what a landing waits for, and what would unblock it, as a table by state and outcome. Pure. */

import { shellWord } from "../../../base/text/shell-word.ts"
import type { LandingOutcome, LandingState } from "../../landing/rules.ts"
import type { Action } from "../../tasks/rules/action.ts"
import { waysOn } from "./ways-on.ts"

export type LandingFacts = {
  readonly state: LandingState
  readonly outcome: LandingOutcome | null
  readonly reason: string | null
  readonly sinceMs: number
  readonly target: string
  readonly paths: readonly string[]
  /** The branch that is probably meant by a target that is gone. */
  readonly successor: string | null
  /** The landing waits for an agent's turn in a shared worktree. */
  readonly isAgents: boolean
  /** Failed tries of publishing, or of a push. */
  readonly attempts: number
  /** When it looks again by itself; null: when a person acts. */
  readonly wakeAtMs: number | null
  /** The task whose landing is ahead in the queue. */
  readonly behind: number | null
  /** The landing's place in the queue of its target, from 1; null outside the queues. */
  readonly place: number | null
  /** Repositories whose targets have moved already, while others have not. */
  readonly published: readonly string[]
  /** An unfinished task that it lands after. */
  readonly heldBy: number | null
  /** The task whose work it starts from, while that has no pull request. */
  readonly lower: number | null
  /** In review: reviewers read the commits, and a person is not asked yet. */
  readonly isForReviewers: boolean
  /** The reviewers whose reviews have not ended, and their tasks. */
  readonly reviewers: readonly { readonly name: string; readonly task: number | null }[]
  /** Commits without an approval, with the names of their repositories. */
  readonly pendingApprovals: readonly { readonly name: string; readonly head: string }[]
}

/** @property id the task to name in commands. @property can the actions that are possible: no other is named. */
type Facts = LandingFacts & {
  readonly id: number
  readonly can: readonly Action[]
}
type Said = readonly [waitingFor: string, unblock: string]

export const AUTOMATIC = "nothing: it continues automatically"

export const LANDING_ANSWERS: Readonly<Record<LandingState, (facts: Facts) => Said>> = {
  snapshotting: ({ outcome, reason }) =>
    outcome === "FF_NOT_POSSIBLE"
      ? [`its next round: ${reason ?? "the target moved"}`, AUTOMATIC]
      : ["a snapshot of the work", AUTOMATIC],
  in_review: approval,
  queued: ({ target, heldBy, behind, place }) =>
    heldBy !== null
      ? [
          `task ${heldBy}, which it lands after`,
          `task ${heldBy} is complete, or cancelled; \`coppice why ${heldBy}\` says what it waits for`,
        ]
      : behind === null
        ? [`its turn to land on ${target}, which has come`, AUTOMATIC]
        : [
            `the landing of task ${behind}, which is before it for ${target}${place === null ? "" : `; it is number ${place} of the queue`}`,
            `task ${behind} lands, fails or waits; \`coppice queue\` shows the order`,
          ],
  preparing: ({ target }) => [`its work to be put on top of ${target}`, AUTOMATIC],
  syncing: () => ["its worktree to be made ready for the gate", AUTOMATIC],
  gating: ({ reason, target }) =>
    reason === null
      ? ["the gate, which is running", "the gate ends"]
      : [
          `the gate, which is running, and is slower than its target moves: ${reason}`,
          `the gate ends before ${target} moves again`,
        ],
  publishing: ({ target }) => [`${target} to be moved`, AUTOMATIC],
  shipping: ({ heldBy, lower }) =>
    lower !== null
      ? [
          `task ${lower}, whose work it starts from, to have all of that in an open pull request`,
          `that one is opened, or merged; \`coppice why ${lower}\` says what it waits for`,
        ]
      : heldBy === null
        ? ["its branch to be pushed, and its pull request opened", AUTOMATIC]
        : [
            `task ${heldBy}, which it lands after`,
            `task ${heldBy} is complete, or cancelled; \`coppice why ${heldBy}\` says what it waits for`,
          ],
  restacking: () => ["its worktree to be brought to the rebased work", AUTOMATIC],
  proposed: () => ["its pull request to be merged", "the forge merges it"],
  cleaning: () => ["its agent's process to end, so that the worktree can go", "the process ends"],
  waiting,
  paused: ({ id, can }) => [
    "its task to be resumed",
    can.includes("resume") ? `\`coppice resume ${id}\`` : AUTOMATIC,
  ],
  handed_back: (facts) => [`its agent to resolve it: ${cause(facts)}`, AUTOMATIC],
  failed: (facts) =>
    facts.can.includes("land")
      ? [`a person: ${cause(facts)}`, `\`coppice land ${facts.id}\``]
      : [`its record, after it failed: ${cause(facts)}`, AUTOMATIC],
  landed: () => ["its record", AUTOMATIC],
  cancelled: () => ["its record", AUTOMATIC],
}

const RETRIED = "nothing: it is retried automatically"

/** How the wait ends, by its outcome; all others: {@link RETRIED}. */
const WAIT_ENDS: Partial<Record<LandingOutcome, (facts: Facts) => string>> = {
  DIRTY_MAIN: ({ paths }) =>
    `${paths.length === 0 ? "put that right" : "commit, stash or move the files in the way"}; Coppice checks every 2 s`,
  LOCKED: ({ isAgents, paths }) =>
    isAgents
      ? "that agent's turn ends: what shares a worktree lands between turns"
      : `the git command that holds the lock ends; if none is running, ${removal(paths)}`,
  TARGET_RED: ({ id, target }) =>
    `make the gate pass on ${target}; then it continues automatically, or \`coppice land ${id}\``,
  TARGET_GONE: ({ id, target, successor }) =>
    `\`coppice land ${id} --target ${successor === null ? "<branch>" : shellWord(successor)}\`; or make ${target} again: then it continues automatically`,
  GATE_UNAVAILABLE: ({ id }) => `fix the cause, then \`coppice land ${id}\``,
  PUSH_REFUSED: ({ id }) =>
    `make the remote take it, then \`coppice land ${id}\`; or \`coppice cancel ${id}\`, and use \`land: pr\``,
  LOWER_CLOSED: ({ id }) =>
    `\`coppice land ${id}\` lands its own commits without that work; or \`coppice cancel ${id}\``,
  UNSIGNED: ({ id }) =>
    `make the key ready (ssh-add, gpg-agent, \`git config --global\`), then \`coppice land ${id}\``,
  UNPUSHED: ({ id }) =>
    `push the target from here, or drop its commits: then it continues automatically; if they reach the remote another way, \`coppice land ${id}\``,
  UPSTREAM_APART: ({ id, target }) =>
    `${target} contains those commits: then it continues automatically; or \`coppice land ${id}\``,
  TOO_MUCH_LEFT: ({ id }) => `do one of these, then \`coppice land ${id}\``,
  UPDATE_REF_FAILED: ({ id }) => `${RETRIED}; \`coppice land ${id}\` tries at once`,
}

/** A decided landing runs to its end; while it waits, a person may give it up. */
function waiting(facts: Facts): Said {
  const { id, target, outcome, attempts, published, wakeAtMs } = facts
  const reason = facts.reason ?? "something is in the way"
  const refused = `git to move ${target}, which it refused (try ${attempts}): ${reason}`
  if (outcome === "PUSH_FAILED" && wakeAtMs !== null)
    return [
      `its next push, after ${attempts} that failed: ${reason}`,
      `it is tried again at ${new Date(wakeAtMs).toISOString()}; \`coppice land ${id}\` tries at once`,
    ]
  const unblock = outcome && WAIT_ENDS[outcome]?.(facts)
  const ends = unblock ?? RETRIED
  const isPersons = unblock !== undefined && unblock !== null && outcome !== "LOCKED"
  const where = published.join(", ")
  return [
    outcome === "UPDATE_REF_FAILED"
      ? refused
      : `${isPersons ? "a person" : "its next try"}: ${reason}`,
    where === "" ? ends : `${ends}; or \`coppice cancel ${id}\` takes it back in ${where}`,
  ]
}

function approval(facts: Facts): Said {
  const { id, can, pendingApprovals, reason, isForReviewers } = facts
  if (isForReviewers) return reviewing(facts)
  const isOne = pendingApprovals.length <= 1
  const named = pendingApprovals.map(({ name, head }) =>
    isOne ? head.slice(0, 12) : `${head.slice(0, 12)} in ${name}`,
  )
  const what = named.length > 0 ? named.join(" and ") : "the result"
  const no: readonly [Action, string] = can.includes("reject")
    ? ["reject", `\`coppice reject ${id} "<what to change>"\``]
    : ["cancel", `\`coppice cancel ${id}\``]
  const ways = waysOn(can, [["approve", `\`coppice approve ${id}\``], no]) ?? AUTOMATIC
  return [
    `a person to approve ${what}${reason ? `; it ${reason}` : ""}`,
    `${ways}; \`coppice diff ${id}\` shows it`,
  ]
}

function reviewing({ id, can, reviewers }: Facts): Said {
  const names = reviewers.map(({ name, task }) => (task === null ? name : `${name} (task ${task})`))
  const [first] = reviewers.flatMap(({ task }) => task ?? [])
  const look = first === undefined ? "" : `; \`coppice why ${first}\` says what that waits for`
  const decides = waysOn(
    can,
    [
      ["approve", `\`coppice approve ${id}\``],
      ["reject", `\`coppice reject ${id} "<what to change>"\``],
    ],
    " or ",
  )
  const instead = decides === undefined ? "" : `; or ${decides} decides in its place`
  return [`a review by ${names.join(", ") || "another agent"}`, `it ends${look}${instead}`]
}

const cause = ({ reason, outcome }: Facts) => reason ?? outcome ?? "it did not land"

/** @param paths of the locks; none where the lock went in the instant in which we looked. */
const removal = (paths: readonly string[]) =>
  paths.length > 0 ? `\`rm ${paths.map(shellWord).join(" ")}\`` : "remove its file"
