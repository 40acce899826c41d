/**
 * Removes a task's worktrees at a person's request, after saving work that is nowhere else.
 *
 * If the task can go on, its branch stays with its commits, and only uncommitted work is rescued.
 * If the task is over, its branch goes too. A branch that a person was given goes if it holds
 * nothing of its own, as `git branch -d` would allow.
 */
import { branchRef } from "../../base/ids.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { areAllKept } from "../../kernel/git/ask/rev-list.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { LandingState } from "../../kernel/landing/rules.ts"
import { listWorkingFolders } from "../../kernel/process/working-folders.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task, TaskRepo } from "../../kernel/tasks/rows/row.ts"
import { findSharer } from "../../kernel/tasks/rows/task-repos/list.ts"
import { recordRemoved } from "../../kernel/tasks/rows/task-repos/removal.ts"
import { hasTurns } from "../../kernel/tasks/rules.ts"
import { recordRescued } from "../../kernel/workspaces/rows/rescues.ts"
import { teardownOf } from "../../kernel/workspaces/setup/run-teardown.ts"
import type { TornDown } from "../../kernel/workspaces/workspace.ts"
import {
  type CleanUpItem,
  hasProcess,
  type ItemOutcome,
  kept,
  type Removing,
  removed,
} from "./clean-up-item.ts"
import { listTargets } from "./safe-targets.ts"

/** A turn or a landing holds the lock for long, so we refuse instead of waiting. */
const WAIT_MS_MAX = 1_000
const REASON = "a person had its worktree removed"

export type Removed = { readonly item: CleanUpItem; readonly done: ItemOutcome }

/** @throws {DaemonError} `task.refused` (user) if the worktree is in use, or there is none. */
export async function removeAsked(
  context: Removing,
  { id }: Pick<Task, "id">,
  signal: AbortSignal,
): Promise<readonly Removed[]> {
  const { db, taskLock } = context
  return await taskLock.hold(id, async () => {
    const task = findTask(db, id)
    if (!task) throw refused(id, "it is gone")
    const repos = task.repos.flatMap((repo) =>
      repo.worktree === null ? [] : [{ ...repo, worktree: repo.worktree }],
    )
    await refuseInUse(context, task, repos)
    const limits = { task: id, timeoutMs: WAIT_MS_MAX, signal }
    const paths = repos.map(({ worktree }) => worktree)
    using lease = await taskLock.worktrees.own(paths, limits)
    if (!lease) throw refused(id, "its worktree is in use now")
    const all: Removed[] = []
    for (const repo of repos) all.push(await removeOne(context, { task, repo, signal }))
    return all
  })
}

/** States of a landing that uses no worktree until a person or an agent acts. */
const AT_REST: readonly LandingState[] = ["landed", "cancelled", "failed", "handed_back"]

type Standing = TaskRepo & { readonly worktree: string }

async function refuseInUse(
  { db }: Pick<Removing, "db">,
  { id, state, agent, strategy }: Task,
  repos: readonly Standing[],
): Promise<void> {
  if (strategy !== "git_worktree") throw refused(id, "its worktree does not belong to Coppice")
  if (repos.length === 0) throw refused(id, "it has no worktree")
  const landing = findLandingOfTask(db, id)
  if (landing && !AT_REST.includes(landing.state)) throw refused(id, "its landing is under way")
  if (hasTurns(state) && agent !== null) throw refused(id, "its agent works there")
  if (hasProcess(db, id)) throw refused(id, "a process of the task runs")
  const folders = await listWorkingFolders()
  const user = folders.find(({ cwd }) =>
    repos.some(({ worktree }) => cwd === worktree || cwd.startsWith(`${worktree}/`)),
  )
  if (user) throw refused(id, `process ${user.pid} runs in its worktree`)
}

function refused(id: number, why: string): DaemonError {
  return new DaemonError("task.refused", `The worktree of task ${id} stays: ${why}.`, [
    `\`coppice show ${id}\` shows its state; \`coppice worktree list\` lists the worktrees.`,
  ])
}

type Removal = { readonly task: Task; readonly repo: Standing; readonly signal: AbortSignal }

async function removeOne(context: Removing, removal: Removal): Promise<Removed> {
  const { task, repo } = removal
  const { worktree, path, placed, target } = repo
  const item: CleanUpItem = {
    kind: "worktree",
    name: worktree,
    task: task.id,
    action: "remove",
    why: "a person asks",
    isLeft: false,
  }
  const sharer = findSharer(context.db, { task: task.id, path, branch: null, worktree })
  if (sharer !== undefined) return { item, done: kept(`task ${sharer} works there as well`) }
  const tip = repo.branch === null ? undefined : await readCommit(path, branchRef(repo.branch))
  const { commits } = await listTargets(context, path, [target])
  const isOver = task.state === "cancelled" || repo.mergeTip !== null
  const isEmpty = async () => tip !== undefined && (await areAllKept(path, [tip], commits))
  const goes = isOver || (task.agent === null && (await isEmpty()))
  const safeCommits = goes || !tip ? commits : [...commits, tip]
  const before = teardownOf(context, removal)
  const branch = goes ? (repo.branch ?? undefined) : undefined
  const workspace = { repo: path, worktree, branch, placed, before }
  const request = { ...workspace, task: task.id, safeCommits, reason: REASON }
  // A person may have opened a terminal since.
  if (hasProcess(context.db, task.id)) return { item, done: kept("a process of the task runs") }
  const torn = await context.workspaces.teardown(request)
  record(context, removal, branch === undefined ? { ...torn, branch: "kept" } : torn)
  const refs = torn.rescued.map(({ ref }) => ref)
  const stays = tip && !goes ? [`The branch ${repo.branch} is kept: its task can go on there.`] : []
  const note = [...torn.notices, ...stays].join(" ") || null
  const isGone = torn.worktree === "removed"
  return { item, done: isGone ? removed(refs, note) : kept(note ?? "it stays", refs) }
}

function record(
  { db, world }: Pick<Removing, "db" | "world">,
  { task: { id }, repo: { name, path, worktree } }: Removal,
  torn: TornDown,
): void {
  const nowMs = world.nowMs()
  transaction(db, () => {
    recordRescued({ db, world }, id, torn.rescued)
    if (torn.worktree === "kept") return
    recordRemoved(db, { task: id, name }, torn.branch)
    const data = { repo: path, worktree, why: REASON }
    appendEvent(db, { type: "worktree.removed", task: id, data }, nowMs)
  })
}
