/** A task's state as a sign, a colour and a word, and its place in a list. */

import type { TaskDocument, TaskLinesDocument } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import type { WaitReason } from "../../../features/stats/rules/waits.ts"
import type { HandBackCause } from "../../../kernel/landing/prompts/hand-back-causes.ts"
import { isLanding } from "../../../kernel/landing/rules/landing-states.ts"
import type { LandingOutcome } from "../../../kernel/landing/rules.ts"
import type { TaskState } from "../../../kernel/tasks/rules.ts"
import type { Output, Style } from "../output.ts"
import { gist } from "./text.ts"

// biome-ignore format: a table reads best as one
const LOOKS: Readonly<Record<TaskState, readonly [sign: string, style: Style]>> = {
  registered:          ["○", "dim"],
  planning:            ["●", "cyan"],
  planning_complete:   ["?", "yellow"],
  working:             ["●", "cyan"],
  shipping:            ["●", "cyan"],
  reviews_in_progress: ["●", "cyan"],
  pr_ready:            ["?", "yellow"],
  in_approval:         ["?", "yellow"],
  merging:             ["◆", "cyan"],
  merge_failed:        ["✗", "red"],
  stuck:               ["✗", "red"],
  paused:              ["‖", "dim"],
  complete:            ["✓", "green"],
  cancelled:           ["–", "dim"],
}

export function signedState(output: Output, state: string): string {
  const [sign, style] = LOOKS[state as TaskState]
  return output.paint(style, `${sign} ${state}`)
}

type Line = TaskLinesDocument["tasks"][number]
type Reasoned = Pick<Line, "reason" | "landing" | "state">

/** Why the task is in its state, in a few words; possibly empty. */
export function stateReason({ reason, landing, state }: Reasoned): string {
  if (reason) return gist(reason.text) || reason.code
  if (!isLanding(state) || !landing) return ""
  // An outcome in any other state is that of the last try.
  if (landing.state !== "waiting") return state === "merging" ? landing.state : ""
  const { reason: why, outcome } = landing
  return ["waiting", gist(why ?? "") || (outcome && outcomeText(outcome))]
    .filter(Boolean)
    .join(": ")
}

/** Why a landing waits or failed, for people; the codes are for `--json`. */
// biome-ignore format: a table reads best as one
const OUTCOME_TEXTS: Readonly<Record<LandingOutcome | HandBackCause | WaitReason | "REJECTED", string>> = {
  LANDED: "landed", NO_CHANGES: "nothing changed",
  SQUASH_CONFLICT: "conflict",
  PRE_MERGE_FAILED: "tests failed", TARGET_GONE: "target gone", TARGET_RED: "tests fail on the target", GATE_UNAVAILABLE: "tests cannot start",
  CHANGES_REQUESTED: "changes requested", PULL_REQUEST_CLOSED: "closed unmerged", MERGED_WITHOUT_WORK: "merged without its work",
  LOWER_CLOSED: "the work below it was given up",
  PUSH_FAILED: "not pushed", PUSH_REFUSED: "remote refuses", UNPUSHED: "target not pushed", UPSTREAM_APART: "target and upstream apart", UNSIGNED: "not signed", FORGE_UNAVAILABLE: "forge does not answer",
  REMOTE_UNAVAILABLE: "remote does not answer",
  FOREIGN_FILES: "files that are not its work", STALE_FILES: "drops changes of others",
  FOREIGN_STASH: "holds a stash of others", TOO_MUCH_LEFT: "too much is uncommitted",
  WORKTREE_ERROR: "worktree in the way", DIRTY_MAIN: "checkout in the way", LOCKED: "locked",
  FF_NOT_POSSIBLE: "target moved", UPDATE_REF_FAILED: "git refused", REJECTED: "rejected",
  IN_REVIEW: "an approval", QUEUED: "its place in the queue", START: "its start", PLAN_APPROVAL: "an approval of its plan",
  REVIEWS_IN_PROGRESS: "reviews and checks", PR_READY: "the merge of its pull request", ANSWER: "an answer",
  REVIEWER_AGENT: "changes requested by an agent", REVIEW: "changes requested in a review", CHECKS: "failed checks",
  MERGE_QUEUE: "thrown out by the merge queue",
}

/** @param outcome a later daemon's may be unknown, and is shown as it is. */
export const outcomeText = (outcome: string): string =>
  OUTCOME_TEXTS[outcome as LandingOutcome] ?? outcome

/** The progress of its deletion, in a few words; empty without one. */
export function deletionText({ deletion }: Pick<Line, "deletion">): string {
  if (deletion === null) return ""
  const why = deletion.reason === null ? "" : `: ${gist(deletion.reason)}`
  return `is being deleted${why && `, tried again in a few seconds${why}`}`
}

export function taskState(output: Output, task: TaskDocument): string {
  const reason = stateReason(task)
  const state = `${signedState(output, task.state)}${reason && `: ${reason}`}`
  return `Task ${task.id} (${oneLine(task.title)}): ${state}`
}
