/** Lands the work that a reference names: a task, else a branch, else a worktree. */

import type { ConfiguredHome, Fleet } from "../../api/fleet.ts"
import type { WorkTakenDocument, WorkToLand } from "../../api/wire/landings.ts"
import type { TaskId } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows, Home } from "../../kernel/home.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { forgetRed } from "../../kernel/landing/rows/gate-results.ts"
import { submitWork } from "../../kernel/landing/submit-work.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { orderOf } from "../../kernel/tasks/actions/find-task.ts"
import { land } from "../../kernel/tasks/actions/land.ts"
import { findTarget } from "../../kernel/tasks/actions/target.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { resolveTask } from "../../kernel/tasks/rows/resolve.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { recordTarget } from "../../kernel/tasks/rows/task-repos/work.ts"
import { findOwnerOfWork, type WorkPlace } from "../../kernel/tasks/rows/work-item.ts"
import { possibleActions } from "../../kernel/tasks/rules/transitions.ts"
import { requireAddress, requireGitTrust, requireSetupTrust } from "../trust/require-trust.ts"
import { describeWork } from "./describe-work.ts"
import { type FoundWork, findWork, isPath, workNotFound } from "./find-work.ts"

/** The work that a reference names. */
export type Meant =
  | { readonly kind: "task"; readonly task: Task }
  | { readonly kind: "work"; readonly work: FoundWork; readonly taken: WorkTakenDocument }

/** @returns the task that lands, and the defaults taken if it is a new one. */
export async function landWork(
  fleet: Home & Pick<ConfiguredHome, "repoConfig">,
  request: WorkToLand,
): Promise<{ readonly id: TaskId; readonly taken: WorkTakenDocument | null }> {
  const meant = await findMeant(fleet, request)
  if (meant.kind === "task") {
    await retarget(fleet, meant.task, request.target)
    const task = findTask(fleet.db, meant.task.id) ?? meant.task
    if (request.approve === false) refuseToApprove(task)
    land(fleet, task)
    return { id: meant.task.id, taken: null }
  }
  const { work, taken } = meant
  fleet.checkedConfig()
  await requireGitTrust(fleet, work.root)
  requireSetupTrust(fleet, work.repo)
  if (work.repo.pushTarget) await requireAddress(fleet, { repo: work.repo, path: work.root })
  return { id: submit(fleet, work, { taken, request }), taken }
}

/**
 * A task is preferred to a branch, unless it is over, or only its title begins like that. An import
 * never means a task: anybody can make a branch with the number of a task in review.
 *
 * @throws {DaemonError} `task.ambiguous`, `work.not_found`, `work.ambiguous`, `work.refused` and
 *   others (user).
 */
export async function findMeant(fleet: Home, request: WorkToLand): Promise<Meant> {
  const { ref, title, priority, after, review } = request
  const isImport = review !== undefined
  const tasks = isPath(ref) || isImport ? [] : listMeant(fleet, ref)
  const [task, other] = tasks.filter((one) => isUnambiguous(one, ref))
  const work = task ? undefined : await findWork(fleet, request)
  const named = task ?? (work ? undefined : tasks.at(-1))
  if (other || (named && !task && tasks.length > 1))
    throw new DaemonError("task.ambiguous", `\`${ref}\` may mean ${names(tasks)}.`, [
      "Name the task by its id.",
    ])
  if (named) {
    const given = [title, priority, after].some((value) => value !== undefined)
    if (!given) return { kind: "task", task: named }
    throw new DaemonError("work.refused", `${ref} is task ${named.id}, which has these already.`, [
      "`--title`, `--priority` and `--after` are for branches and worktrees without a task.",
    ])
  }
  if (!work) throw await workNotFound(fleet, ref)
  refuseOwned(fleet, work)
  return { kind: "work", work, taken: await describeWork(fleet, work, request) }
}

/** @throws {DaemonError} `task.refused` (user) if landing the task would approve it. */
function refuseToApprove({ id, state }: Task): void {
  if (state !== "in_approval") return
  throw new DaemonError("task.refused", `Task ${id} waits for a person's approval.`, [
    `\`coppice diff ${id}\` shows its work, \`coppice approve ${id}\` approves it.`,
  ])
}

function listMeant({ db }: FleetRows, ref: string): readonly Task[] {
  const found = resolveTask(db, ref)
  if (found.kind === "found") return [found.task]
  if (found.kind === "none") return []
  return found.ids.map((id) => findTask(db, id)).filter((task) => task !== undefined)
}

const names = (tasks: readonly Task[]) => `tasks ${tasks.map(({ id }) => id).join(", ")}`

/** The beginning of its title is not enough, nor the branch of a task that is over. */
function isUnambiguous({ id, state, land, workItem, title, repos }: Task, ref: string): boolean {
  if (String(id) === ref || workItem === ref) return true
  const isKept = land === "none" && repos.some(({ worktree }) => worktree !== null)
  const isOver = state === "cancelled" || (state === "complete" && !isKept)
  return !isOver && (title === ref || repos.some(({ branch }) => branch === ref))
}

function submit(
  fleet: Home,
  work: FoundWork,
  { taken, request }: { readonly taken: WorkTakenDocument; readonly request: WorkToLand },
): TaskId {
  const { db, world } = fleet
  const { branch, worktree, root, repo } = work
  const place = {
    ...(branch !== null && { branch }),
    ...(worktree !== null && { worktree }),
  }
  const title = request.title ?? titleOf(taken)
  const order = orderOf(fleet, request)
  return transaction(db, () => {
    refuseOwned(fleet, work) // another request may have been faster
    forgetRed(db)
    const repos = [{ name: repo.name, path: root, target: taken.target, ...place }]
    const land = request.review ? "approve" : "merge"
    return submitWork(db, { title, repos, land, ...order }, world.nowMs()).task.id
  })
}

/** The subject of a single commit; otherwise the name that was given. */
function titleOf({ subjects, commits, branch, worktree, head }: WorkTakenDocument): string {
  const subject = commits === 1 ? subjects[0]?.replace(/^\S+ /, "").trim() : undefined
  return subject || (branch ?? worktree ?? head)
}

function refuseOwned({ db }: FleetRows, { root: path, branch, worktree }: FoundWork): void {
  const place: WorkPlace = { path, branch, worktree }
  const owner = findOwnerOfWork(db, place)
  const task = owner === undefined ? undefined : findTask(db, owner)
  if (!task) return
  const { id, state } = task
  const message = `${branch ?? worktree} belongs to task ${id}, which is ${state}.`
  throw new DaemonError("work.refused", message, [
    `\`coppice land ${id}\` lands it when its state allows it; \`coppice show ${id}\` shows its state.`,
  ])
}

/**
 * Another target for a task whose landing failed, waits, or has not begun: after a rename of the
 * branch, for example.
 */
async function retarget(
  fleet: FleetRows & Pick<Fleet, "home" | "repoConfig">,
  task: Task,
  target: string | undefined,
): Promise<void> {
  if (target === undefined || task.repos.every((repo) => repo.target === target)) return
  const { db } = fleet
  const landing = findLandingOfTask(db, task.id)
  const isOpen = landing === undefined || ["failed", "waiting"].includes(landing.state)
  const isMoved = landing?.repos.some(({ published }) => published)
  if (!isOpen || isMoved || !possibleToLand(task))
    throw new DaemonError(
      "task.refused",
      `Task ${task.id} is ${task.state}: its target cannot be changed now.`,
      ["Its target can be changed when its landing has failed, or waits."],
    )
  for (const repo of task.repos) await findTarget(fleet.home, fleet.repoConfig(repo), target)
  transaction(db, () => recordTarget(db, task.id, target))
}

const possibleToLand = (task: Task): boolean =>
  task.state === "merging" || possibleActions(task).includes("land")
