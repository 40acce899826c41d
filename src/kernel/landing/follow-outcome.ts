/** Applies a landing's outcome to its task, in the same transaction. */
import { assert } from "../../base/assert.ts"
import { appendLog } from "../store/log/append.ts"
import type { Db } from "../store/open.ts"
import { keepWork } from "../tasks/rows/keep-work.ts"
import { recordTask } from "../tasks/rows/record.ts"
import type { Task } from "../tasks/rows/row.ts"
import { openNextTurn } from "../tasks/rows/turns/open.ts"
import type { Reason } from "../tasks/rules.ts"
import { landingReport } from "../waits/rules/landing-report.ts"
import type { Outcome, Rows } from "./action.ts"
import { workMovedPast } from "./move/moved-past.ts"
import type { Landing } from "./rows/row.ts"
import { isProposing, isPullRequestOpen } from "./rules/landing-states.ts"
import { submitWork } from "./submit-work.ts"

export function followOutcome(
  context: Rows,
  { landing, task }: { landing: Landing; task: Task },
  outcome: Outcome,
): void {
  const { db, world } = context
  const nowMs = world.nowMs()
  switch (outcome.event) {
    case "reviewRequested":
      recordTask(db, task, { event: "approvalRequested" }, nowMs)
      return
    case "pullRequestOpened":
      if (task.state === "shipping") recordTask(db, task, { event: "pullRequestOpened" }, nowMs)
      return
    case "unshipped": {
      const text = `its work is on its branch, and was not pushed: ${outcome.reason}`
      recordTask(db, task, { event: "finished", reason: { code: "not_pushed", text } }, nowMs)
      keepWork(db, task.id)
      return
    }
    case "handedBack": {
      assert(outcome.handBack, "work that is handed back has a prompt")
      const event = isPullRequestOpen(task.state) ? "changesRequested" : "handedBack"
      recordTask(db, task, { event }, nowMs)
      openNextTurn(db, { task: task.id, prompt: outcome.handBack }, nowMs)
      return
    }
    case "failed": {
      if (isProposing(task.state)) {
        recordTask(db, task, { event: "gotStuck", reason: proposalFailed(outcome) }, nowMs)
        return
      }
      const reason: Reason = { code: "landing", text: outcome.reason ?? "it did not land" }
      tellReport(context, { landing, task })
      recordTask(db, task, { event: "landingFailed", reason }, nowMs)
      if (outcome.takeBack) submitWork(db, outcome.takeBack, nowMs)
      return
    }
    case "cleaned": {
      const event = isPullRequestOpen(task.state) ? "pullRequestMerged" : "landed"
      recordTask(db, task, { event, reason: completion(db, landing, task, outcome.reason) }, nowMs)
      return
    }
    default:
      return // the task goes on merging
  }
}

const OF_PULLS: readonly unknown[] = ["CHANGES_REQUESTED", "PULL_REQUEST_CLOSED"]

function proposalFailed({ outcome, reason }: Outcome): Reason {
  const ofShipping = outcome === "PUSH_FAILED" ? "push_failed" : "landing"
  const code = OF_PULLS.includes(outcome) ? "pull_request" : ofShipping
  return { code, text: reason ?? "it was not proposed" }
}

/** The task stops, so a person gets the full reason and the commands. */
function tellReport(
  { db, world }: Rows,
  { landing, task }: { readonly landing: Landing; readonly task: Task },
): void {
  const [repo, other] = task.repos
  assert(repo, "a task has a repository")
  const { target, branch, worktree } = other ? { ...repo, branch: null, worktree: null } : repo
  const isRevert = landing.undoes !== null && !other
  const commit = isRevert ? (landing.repos[0]?.head ?? undefined) : undefined
  const reported = { task: task.id, target, branch, worktree, commit }
  const text = landingReport(landing.details, reported)
  if (!text) return
  appendLog(db, { task: task.id, turn: 0, kind: "output", text }, world.nowMs())
}

/**
 * A complete task has a reason only if it changed nothing: then the agent often asked a question,
 * moved the target to its work, or left the work where it does not land.
 *
 * @param left the clean-up's sentences about that.
 */
function completion(
  db: Db,
  { outcome, repos }: Landing,
  task: Task,
  left: string | null = null,
): Reason | null {
  if (outcome !== "NO_CHANGES") return null
  const moves = repos.map((repo) => workMovedPast(db, task, repo))
  const text = ["nothing changed", ...moves, left, task.lastMessage].filter(Boolean).join(": ")
  return { code: "no_changes", text }
}
