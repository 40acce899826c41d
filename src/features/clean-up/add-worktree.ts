/**
 * Sets up a task's worktree without starting its agent, for people and tools that drive worktrees
 * themselves.
 */

import type { Fleet } from "../../api/fleet.ts"
import type { AgentConfig } from "../../config/config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { FleetRows, Home } from "../../kernel/home.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findRepoAround, findRepos } from "../../kernel/tasks/actions/create-task.ts"
import { findAgent } from "../../kernel/tasks/actions/find-agent.ts"
import { findTaskAgain, findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import type { Intake } from "../../kernel/tasks/actions/intake.ts"
import { refuseActiveWorkItem } from "../../kernel/tasks/actions/refuse-in-use.ts"
import { addTask } from "../../kernel/tasks/rows/add.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { resolveTask } from "../../kernel/tasks/rows/resolve.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { TaskState } from "../../kernel/tasks/rules.ts"
import type { NewWorktree } from "./wire.ts"

/** In the other states something works there, or the worktree is about to go. */
const POSSIBLE: readonly TaskState[] = ["registered", "paused", "stuck", "merge_failed", "complete"]
/** Stands for `{agent}` if no agent was named. */
const BY_HAND = "hand"

type Making = Home & Intake & Pick<Fleet, "prepareByHand">

/**
 * @param request a task by id, branch, work item or title; otherwise the title of a new task
 *   without an agent, which a person works on until it is landed or cancelled.
 * @returns the task; its worktrees are set up.
 * @throws {DaemonError} `task.not_found`, `task.refused` and those of a new task (user).
 */
export async function makeTaskWorktree(
  fleet: Making,
  request: NewWorktree,
): Promise<{ readonly task: Task; readonly created: boolean }> {
  const agent = findAgent(fleet.config(), request.agent)
  const known = findKnown(fleet, request.ref)
  const { task, created } = known
    ? { task: known, created: false }
    : await create(fleet, request, agent)
  if (!created) refuseImpossible(task)
  const settings = { ...agent, name: request.agent ?? BY_HAND }
  try {
    await fleet.prepareByHand(task, task.agent === null ? settings : undefined)
  } catch (error) {
    if (created) giveUp(fleet, task, error)
    throw error
  }
  return { task: findTaskAgain(fleet, task), created }
}

/** Cancels the new task whose worktree could not be set up. */
function giveUp({ db, world }: FleetRows, task: Task, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  const current = findTask(db, task.id)
  if (current?.state !== "working") return
  recordTask(db, current, { event: "cancelled", reason: { code: "failed", text } }, world.nowMs())
}

/** The beginning of a title does not match: it may be meant as a new title. */
function findKnown(fleet: Making, ref: string): Task | undefined {
  const found = resolveTask(fleet.db, ref)
  if (found.kind === "ambiguous" || (found.kind === "none" && /^\d+$/.test(ref)))
    return findTaskByRef(fleet, ref) // which throws the right error
  if (found.kind === "none") return undefined
  const { task } = found
  const names = [String(task.id), task.title, task.workItem, ...task.repos.map((r) => r.branch)]
  return names.includes(ref) ? task : undefined
}

function refuseImpossible({ id, state, strategy, agent }: Task): void {
  if (strategy !== "git_worktree")
    throw new DaemonError("task.refused", `Task ${id} has no worktree of its own.`, [
      "Its work is a person's, or lies in a static folder.",
    ])
  if (POSSIBLE.includes(state) || (state === "working" && agent === null)) return
  throw new DaemonError(
    "task.refused",
    `Task ${id} is ${state}: its worktree must not be touched.`,
    [`\`coppice show ${id}\` shows it, and where its worktree is.`],
  )
}

/** Two requests for one name at the same time make one task. */
async function create(
  fleet: Making,
  { ref: title, repos: names, workItem: asked, cwd }: NewWorktree,
  agent: AgentConfig,
): Promise<{ readonly task: Task; readonly created: boolean }> {
  const { db, world } = fleet
  const workItem = asked ?? null
  const config = fleet.checkedConfig()
  const wanted = names ?? (await findRepoAround(fleet, { config, agent }, cwd))
  const byWorktree = {
    ...agent,
    workspace: { ...agent.workspace, strategy: "git_worktree" },
  } as const
  const found = await findRepos(fleet, { config, agent: byWorktree }, wanted)
  const repos = found.map(({ target: { name, path, target } }) => ({ name, path, target }))
  const byHand = { agent: null, prompt: "", land: "merge", strategy: "git_worktree" } as const
  return transaction(db, () => {
    const known = findKnown(fleet, title)
    if (known) return { task: known, created: false }
    refuseActiveWorkItem(db, workItem)
    const task = addTask(db, { ...byHand, title, workItem, repos }, world.nowMs())
    recordTask(db, task, { event: "started" }, world.nowMs())
    return { task, created: true }
  })
}
