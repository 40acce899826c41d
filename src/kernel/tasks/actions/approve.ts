/** Approves work in review, so that it lands. */

import type { NewApproval } from "../../../api/wire/requests.ts"
import { listAlternatives } from "../../../features/alternatives/rows.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import {
  addApproval,
  listPendingApprovals,
  type PendingApproval,
} from "../../landing/rows/approvals.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { appendEvent } from "../../store/events.ts"
import { transaction } from "../../store/sql.ts"
import { carryOutPlan } from "../carry-out-plan.ts"
import { planId } from "../plan-id.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { findTask } from "../rows/find.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { mintSessionId } from "../session-id.ts"
import { recordCancelled } from "./cancel.ts"

/**
 * Approves a plan, which is then carried out in the same conversation; or the commits in review, of
 * all repositories or of one, also in place of reviewers that still read them. The landing continues when all that need it are approved, with a fresh
 * snapshot. Commits added since need a new approval.
 *
 * @param what `head`, `plan`: refuses if another commit or plan than this is in review. A plan must be
 *   named, since nothing else binds its approval to a text.
 * @throws {TransitionRefused} (user) when nothing is in review.
 * @throws {DaemonError} `repo.unknown`, `approval.stale` (user)
 */
export function approve({ db, world }: FleetRows, task: Task, what: NewApproval = {}): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    if (task.state === "planning_complete") {
      refuseOtherPlan(task, what)
      recordTask(db, task, { event: "planApproved" }, nowMs)
      carryOutPlan(db, task, { isApproved: true, mintSessionId, nowMs })
      return
    }
    if (what.plan !== undefined) throw hasNoPlan(task)
    const landing = findLandingOfTask(db, task.id)
    if (!awaitsApproval(task, landing)) throw new TransitionRefused(db, task, "approved")
    const chosen = choose(task, listPendingApprovals(db, landing.id), what)
    for (const { name, head, base } of chosen) {
      addApproval(db, { task: task.id, name, head, base }, nowMs)
      const data = { landing: landing.id, repo: name, head, base }
      appendEvent(db, { type: "approval.given", task: task.id, data }, nowMs)
    }
    if (listPendingApprovals(db, landing.id).length > 0) return
    if (task.state === "in_approval") recordTask(db, task, { event: "approved" }, nowMs)
    recordLanding(db, landing, { event: "approved" }, nowMs)
    cancelAlternatives({ db, world }, task)
  })
}

/** The picked one lands, so the others are given up in the same transaction; clean-up saves their work. */
function cancelAlternatives(rows: FleetRows, { id }: Task): void {
  for (const other of listAlternatives(rows.db, id)) {
    const task = other === id ? undefined : findTask(rows.db, other)
    // Unapproved work is cleaned up as it is only if nothing has changed: it completes by itself.
    const isUnchanged = findLandingOfTask(rows.db, other)?.state === "cleaning"
    const isOver = isUnchanged || task?.state === "complete" || task?.state === "cancelled"
    if (task && !isOver && task.deletion === null) recordCancelled(rows, task)
  }
}

/** Whether a person may decide about its commits: now, or in place of reviewers. */
export function awaitsApproval(
  { state }: Pick<Task, "state">,
  landing: Landing | undefined,
): landing is Landing & { readonly state: "in_review" } {
  return (state === "in_approval" || state === "merging") && landing?.state === "in_review"
}

function choose(
  task: Task,
  pending: readonly PendingApproval[],
  { repo, head }: NewApproval,
): readonly PendingApproval[] {
  const named = repo === undefined ? pending : pending.filter(({ name }) => name === repo)
  if (named.length === 0) throw needsNone(task, pending, repo ?? "")
  const chosen = head === undefined ? named : named.filter((one) => one.head.startsWith(head))
  if (chosen.length > 0) return chosen
  const waiting = named.map((one) => `${one.head.slice(0, 12)} in ${one.name}`).join(", ")
  throw new DaemonError(
    "approval.stale",
    `Task ${task.id} has ${waiting} in review, not ${head}.`,
    ["Look again: a commit was added since, or it belongs to another repository."],
  )
}

/** @throws {DaemonError} `approval.stale` (user) unless the request names the plan on record. */
function refuseOtherPlan({ id, plan: text }: Task, { head, plan }: NewApproval): void {
  const now = planId(text ?? "")
  if (head === undefined && plan !== undefined && now.startsWith(plan)) return
  const named = head ?? plan
  throw new DaemonError(
    "approval.stale",
    `Task ${id} has the plan ${now.slice(0, 12)} to approve${named ? `, not ${named}` : ""}.`,
    [
      `\`coppice show ${id}\` shows it; \`coppice approve ${id} --plan ${now.slice(0, 12)}\` approves it.`,
    ],
  )
}

function hasNoPlan({ id }: Task): DaemonError {
  return new DaemonError("approval.stale", `Task ${id} has no plan to approve now.`, [
    `\`coppice show ${id}\` says how far it is.`,
  ])
}

function needsNone(task: Task, pending: readonly PendingApproval[], repo: string): DaemonError {
  const names = pending.map(({ name }) => name).join(", ")
  const message = `Nothing of task ${task.id} needs an approval in a repository ${repo}.`
  return new DaemonError("repo.unknown", message, [`Waiting: ${names}.`])
}
