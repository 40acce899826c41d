/** Reverts what a task landed, by a landing of its own through the same queue and gate. */

import type { LandingOrder, UndoPlanDocument } from "../../api/wire/landings.ts"
import { branchOf, type LandingId, type Oid } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { type FileDiff, listFileDiffs } from "../../kernel/git/ask/diff-tree.ts"
import { listSubjects } from "../../kernel/git/ask/log.ts"
import { countCommits } from "../../kernel/git/ask/rev-list.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { isCancellable } from "../../kernel/landing/cancellable.ts"
import { findLanding, findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { Landing, LandingRepo } from "../../kernel/landing/rows/row.ts"
import { findObstacle, takeBack } from "../../kernel/landing/undo/take-back.ts"
import { findTaskByRef, orderOf } from "../../kernel/tasks/actions/find-task.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { resolveTask } from "../../kernel/tasks/rows/resolve.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listPullRequests } from "../pull-requests/rows.ts"

/** A landing by its own number; every other reference means a task. */
const OF_LANDING = /^landing:(\d{1,15})$/
/** More commits than these are counted, and not named. */
const SUBJECTS_MAX = 5

/**
 * @param ref `landing:<id>`, or a task, whose latest landing is meant.
 * @returns the task that reverts it.
 * @throws {DaemonError} `landing.not_found`, `landing.refused` (user).
 */
export async function undo(fleet: FleetRows, ref: string, order: LandingOrder = {}): Promise<Task> {
  const landing = findLanded(fleet, ref)
  const taken = await takeBack(fleet, landing, orderOf(fleet, order))
  if (taken.kind === "refused") throw refused(landing, taken.reason)
  return findTask(fleet.db, taken.landing.task) as Task
}

/** The landing that `undo` would revert. @throws as `undo` */
export async function describeUndo(fleet: FleetRows, ref: string): Promise<UndoPlanDocument> {
  const landing = findLanded(fleet, ref)
  const obstacle = await findObstacle(fleet.db, landing)
  if (obstacle !== undefined) throw refused(landing, obstacle)
  const { id, task, repos } = landing
  const changed = repos.filter(({ base, candidate }) => base && candidate && base !== candidate)
  return {
    landing: String(id),
    task: String(task),
    title: findTask(fleet.db, task)?.title ?? "",
    repos: await Promise.all(changed.map(describeRepo)),
  }
}

async function describeRepo({ name, path, target, base, candidate }: LandingRepo) {
  const [from, to] = [base, candidate] as [Oid, Oid]
  const [commits, subjects, files] = await Promise.all([
    countCommits(path, { from, to }),
    listSubjects(path, { from, to, paths: [], limit: SUBJECTS_MAX }),
    listFileDiffs(path, from, to),
  ])
  const sum = (count: (file: FileDiff) => number | undefined) =>
    files.reduce((all, file) => all + (count(file) ?? 0), 0)
  return {
    name,
    target: branchOf(target),
    commits,
    subjects,
    files: files.length,
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
  }
}

function findLanded(fleet: FleetRows, ref: string): Landing {
  const landing = findMeant(fleet, ref)
  if (!landing)
    throw new DaemonError("landing.not_found", `There is no landing of \`${ref}\`.`, [
      "`coppice ls` lists the tasks; `coppice show <task>` shows the landing of one.",
    ])
  if (landing.state !== "landed")
    throw refused(
      landing,
      `it has not landed (its landing is ${landing.state})`,
      isCancellable(landing) ? [`\`coppice cancel ${landing.task}\` gives it up.`] : [],
    )
  const [pull] = listPullRequests(fleet.db, landing.task)
  if (pull?.url)
    throw refused(landing, "the forge merged it", [`Revert its pull request there: ${pull.url}`])
  return landing
}

function findMeant(fleet: FleetRows, ref: string): Landing | undefined {
  const { db } = fleet
  const id = OF_LANDING.exec(ref)?.[1]
  if (id !== undefined) return findLanding(db, Number(id) as LandingId)
  const found = resolveTask(db, ref)
  if (found.kind !== "ambiguous") return findLandingOfTask(db, findTaskByRef(fleet, ref).id)
  const landed = found.ids
    .map((task) => findLandingOfTask(db, task))
    .filter((landing) => landing?.state === "landed")
  return landed.length === 1 ? landed[0] : findLandingOfTask(db, findTaskByRef(fleet, ref).id)
}

function refused({ task }: Landing, reason: string, hints: readonly string[] = []): DaemonError {
  return new DaemonError("landing.refused", `Task ${task} cannot be undone: ${reason}.`, hints)
}
