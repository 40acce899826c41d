/**
 * Creates a task's workspace, or finds the one that exists.
 *
 * We record each step when it is done, and each is safe to repeat. After a crash during set-up we set
 * up the same worktree again; an agent never starts in a half-ready one.
 */

import { existsSync } from "node:fs"
import { assert } from "../../base/assert.ts"
import { branchRef, type Oid, type TaskId } from "../../base/ids.ts"
import type { AgentConfig } from "../../config/config.ts"
import { findReviewBy } from "../../features/reviews/rows/find.ts"
import { findLower } from "../../features/stacks/rows.ts"
import { findGitDir } from "../git/start/git-dir.ts"
import { findLandingOfTask } from "../landing/rows/find.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import type { Db } from "../store/open.ts"
import { transaction } from "../store/sql.ts"
import { waitingFor } from "../waits/waits.ts"
import { followWorktree } from "../workspaces/follow-worktree.ts"
import { clearDeadLocksOf } from "../workspaces/locks/dead-locks.ts"
import { lookAtSettings } from "../workspaces/look-at-settings.ts"
import { mendBranch } from "../workspaces/mend-branch.ts"
import { noteTarget } from "../workspaces/note-target.ts"
import { leaseBlock } from "../workspaces/ports/lease-block.ts"
import type { MadeBranch, Workspace } from "../workspaces/workspace.ts"
import { type JobsContext, type Rows, strategyOf } from "./context.ts"
import { makeReady, type Readying } from "./make-ready.ts"
import { reportWorkspace } from "./report-workspace.ts"
import { findTask } from "./rows/find.ts"
import { findRunningJob } from "./rows/jobs/find.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { passOnWorkspace } from "./rows/task-repos/removal.ts"
import { recordMade, type TaskRepoKey } from "./rows/task-repos/work.ts"
import { recordAsFound, recordWorkspace } from "./rows/task-repos/workspace.ts"
import { ownAgent } from "./rules/own-agent.ts"
import { SharedWorktrees } from "./shared-worktrees.ts"

export type Preparing = Readying &
  Pick<JobsContext, "agentConfig" | "taskLock" | "workspaces" | "folders">

type Named = Pick<AgentConfig, "name" | "workspace" | "containment">

/**
 * @param agent whose configuration and name apply. Default: the task's agent.
 * @throws {AppError} if we cannot make the worktree, or its check fails.
 */
export async function prepareWorkspace(
  context: Preparing,
  id: TaskId,
  signal: AbortSignal,
  agent?: Named,
): Promise<void> {
  await context.taskLock.hold(id, async () => {
    inheritWorkspaces(context, id)
    for (const recorded of running(context, id).repos) {
      const repo = followWorktree(context.db, { id }, recorded)
      const { path, worktree, branch } = repo
      if (branch === null || worktree === null || !existsSync(worktree)) continue
      await clearDeadLocksOf({ path, worktree, branch }, signal) // of its agent's last turn
      await mendBranch(repo)
    }
    const task = running(context, id)
    const named = agent ?? context.agentConfig(ownAgent(task))
    const workspaces = await setUpAll(context, { task, agent: named }, signal)
    // All of them exist by now, so a set-up may use another repository's worktree.
    await readyAll(context, { task: running(context, id), workspaces }, signal)
  })
}

function running({ db }: Rows, id: TaskId): Task {
  const task = findTask(db, id)
  assert(task, "a task that runs is there")
  return task
}

const MADE = { text: "its worktree to be made", unblock: "nothing: it is being made" }

/** Keyed by repository name. */
type Workspaces = ReadonlyMap<string, Workspace>

async function setUpAll(
  context: Preparing,
  { task, agent }: { readonly task: Task; readonly agent: Named },
  signal: AbortSignal,
): Promise<Workspaces> {
  using worktrees = new SharedWorktrees(context, task, signal)
  await worktrees.share()
  const workspaces = new Map<string, Workspace>()
  for (const repo of task.repos) {
    signal.throwIfAborted()
    const setUpRepo = () => setUp(context, { task, repo, signal, agent })
    const workspace = await waitingFor(MADE, setUpRepo)
    workspaces.set(repo.name, workspace)
    record(context, { task, repo, workspace })
    await noteTarget(context.db, { path: repo.path, target: branchRef(repo.target) })
    await lookAtSettings(context.db, repo.path, context.world.nowMs())
    const { ports: count } = context.repoConfig(repo)
    await leaseBlock(context.db, { home: context.home, task: task.id, name: repo.name, count })
  }
  return workspaces
}

async function readyAll(
  context: Preparing,
  { task, workspaces }: { readonly task: Task; readonly workspaces: Workspaces },
  signal: AbortSignal,
): Promise<void> {
  using worktrees = new SharedWorktrees(context, task, signal)
  await worktrees.share()
  for (const repo of task.repos) {
    const workspace = workspaces.get(repo.name)
    assert(workspace, "a workspace that was set up is there")
    const { worktree, base } = workspace
    await strategyOf(context, task).leavePool({ task: task.id, worktree, base })
    const readied = await makeReady(context, { task, repo, workspace }, signal)
    await reportWorkspace(context, { task, repo, workspace, readied })
  }
}

/** A task on a work item continues in the worktree of the earlier task. */
function inheritWorkspaces({ db, world }: Rows, id: TaskId): void {
  const task = findTask(db, id)
  for (const repo of task?.repos ?? [])
    if (task?.strategy === "git_worktree" && repo.branch === null && repo.start === null)
      passOnWorkspace(db, task, repo, world.nowMs())
}

function setUp(
  context: Preparing,
  { task, repo, signal, agent }: { task: Task; repo: TaskRepo; signal: AbortSignal; agent: Named },
): Promise<Workspace> {
  const { workspace, name, containment } = agent
  const { copy, link } = context.repoConfig(repo)
  const job = findRunningJob(context.db, task.id)
  const { branch, worktree, base, made } = repo
  const key = { task: task.id, name: repo.name }
  const start = findStart(context.db, task, repo)
  return strategyOf(context, task).setup({
    task: task.id,
    title: task.title,
    workItem: task.workItem,
    agent: name,
    job: job?.id ?? 0,
    nowMs: context.world.nowMs(),
    repo: repo.path,
    repoName: repo.name,
    target: repo.target,
    worktreeDir: workspace.worktreeDir,
    schedule: task.schedule ?? undefined,
    branchPattern: workspace.branchPattern,
    fetch: workspace.fetchBeforeSetup,
    start,
    goesOn: repo.start !== null,
    copy,
    link,
    isContained: containment.by !== "none",
    pooled: workspace.pool !== 0 && start === undefined,
    recordBranch: (made) => recordMade(context.db, { ...key, ...made }),
    findBegun: () => (branch === null ? findMade(context.db, key) : undefined),
    earlier: branch && base && made?.branch === branch ? { branch, worktree, base } : undefined,
    signal,
  })
}

/**
 * The existing work that it continues, the commit that it reviews, or the snapshot of the task that it
 * starts from. Work that has landed is in the target.
 */
function findStart(db: Db, { id }: Task, { name, path, start }: TaskRepo): Oid | undefined {
  if (start !== null) return start
  const reviewed = findReviewBy(db, id)?.commits.find((one) => one.name === name)
  if (reviewed) return reviewed.head
  const lower = findLower(db, id)
  if (lower === undefined || lower.isOff || findTask(db, lower.id)?.state === "complete")
    return undefined
  const landing = findLandingOfTask(db, lower.id)
  const repo = landing?.repos.find((one) => one.name === name && one.path === path)
  return repo?.head ?? undefined
}

function findMade(db: Db, { task, name }: TaskRepoKey): MadeBranch | undefined {
  return findTask(db, task)?.repos.find((repo) => repo.name === name)?.made ?? undefined
}

function record(
  { db, world }: Rows,
  { task, repo, workspace }: { task: Task; repo: TaskRepo; workspace: Workspace },
): void {
  const { branch, worktree, base, placed, notices, fresh } = workspace
  const entry = findGitDir(worktree)
  const nowMs = world.nowMs()
  transaction(db, () => {
    const key = { task: task.id, name: repo.name }
    // Files placed by an earlier configuration are still there, and still not work.
    const all = fresh ? placed : [...new Set([...repo.placed, ...placed])]
    if (branch === undefined)
      recordAsFound(db, { ...key, base, asFound: workspace.asFound ?? null })
    else recordWorkspace(db, { ...key, branch, worktree, entry, base, placed: all })
    const data = { repo: repo.name, worktree, branch: branch ?? null, base, fresh, notices }
    appendEvent(db, { type: "workspace.ready", task: task.id, data }, nowMs)
    for (const text of notices)
      appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, nowMs)
  })
}
