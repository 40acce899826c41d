/** Previews the landing of the work that a reference names; changes nothing. */

import type { Fleet } from "../../api/fleet.ts"
import type { LandingPlanDocument, WorkTakenDocument, WorkToLand } from "../../api/wire/landings.ts"
import type { TaskId } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { possibleNow } from "../../kernel/tasks/rules/transitions.ts"
import { findMeant } from "../own-work/land-work.ts"

/** @throws {DaemonError} the same errors as landing (user); `task.refused` if it has landed. */
export async function previewWork(
  fleet: Home & Pick<Fleet, "previewLanding">,
  request: WorkToLand,
): Promise<LandingPlanDocument> {
  const meant = await findMeant(fleet, request)
  if (meant.kind === "work")
    return { task: null, repos: await fleet.previewLanding(taskOf(meant.taken, request)) }
  const { task } = meant
  if (task.state === "complete" && task.repos.every(({ mergeTip }) => mergeTip !== null))
    throw new DaemonError("task.refused", `Task ${task.id} has landed already.`, [
      possibleNow(task),
    ])
  const { target } = request
  const repos = task.repos.map((repo) => (target === undefined ? repo : { ...repo, target }))
  return { task: String(task.id), repos: await fleet.previewLanding({ ...task, repos }) }
}

/** The task that landing it would create. */
function taskOf(taken: WorkTakenDocument, { title }: WorkToLand): Task {
  const { repo: name, path, target, branch, worktree } = taken
  const recorded = {
    made: null,
    entry: null,
    start: null,
    base: null,
    asFound: null,
    mergeBase: null,
    mergeTip: null,
    takenBack: null,
    address: null,
  }
  const states = { ready: false, tornDown: false, placed: [] }
  return {
    id: 0 as TaskId,
    title: title ?? branch ?? name,
    prompt: "",
    agent: null,
    program: null,
    model: null,
    state: "merging",
    returnsTo: null,
    landingState: null,
    reason: null,
    workItem: null,
    land: "merge",
    strategy: null,
    planMode: "none",
    planner: null,
    standIn: null,
    plan: null,
    deletion: null,
    attached: null,
    schedule: null,
    parent: null,
    reviewOf: null,
    reports: false,
    priority: 0,
    lastMessage: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    repos: [{ name, path, target, branch, worktree, ...states, ...recorded }],
  }
}
