/**
 * Brings a task's workspace into being, or finds it as it was.
 *
 * Each step is on record when it is done, and safe to repeat: after a crash in the middle of a
 * set-up the same worktree is set up again, and an agent never starts in one that is half ready.
 */
import { assert } from "../core/assert.ts"
import type { TaskId } from "../core/ids.ts"
import { runBounded } from "../process/run.ts"
import { appendEvent } from "../store/events/append.ts"
import { findRunningJob } from "../store/jobs/find-running.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import { recordAsFound } from "../store/task-repos/record-as-found.ts"
import { recordReady } from "../store/task-repos/record-ready.ts"
import { recordWorkspace } from "../store/task-repos/record-workspace.ts"
import { takeOverWorkspace } from "../store/task-repos/take-over.ts"
import { findTask } from "../store/tasks/find.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import { bootstrap } from "../workspaces/bootstrap.ts"
import { folderOf } from "../workspaces/folder-of.ts"
import { leaseBlock } from "../workspaces/ports/lease-block.ts"
import { readSetupInputs } from "../workspaces/setup-inputs.ts"
import { isSetUp, recordingSetUp } from "../workspaces/setup-record.ts"
import type { Workspace } from "../workspaces/workspace.ts"
import { type JobsContext, strategyOf } from "./context.ts"

/** @throws {AppError} when the worktree cannot be made, or is not able to run. */
export async function prepareWorkspace(
  context: JobsContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  takeOver(context, id)
  const task = findTask(context.db, id)
  assert(task, "a task that runs is there")
  for (const repo of task.repos) {
    signal.throwIfAborted()
    const workspace = await setUp(context, { task, repo, signal })
    record(context, { task, repo, workspace })
    const { ports: count } = context.repoConfig(repo)
    await leaseBlock(context.db, { home: context.home, task: id, name: repo.name, count })
  }
  // All of them are there by now, so that a set-up may look into another repository's worktree.
  const now = findTask(context.db, id)
  assert(now, "a task that runs is there")
  for (const repo of now.repos) {
    const worktree = folderOf(now, repo)
    assert(worktree, "a workspace that was recorded is there")
    if (repo.ready) continue
    await makeReady(context, { task: now, repo, worktree }, signal)
    recordReady(context.db, { task: id, name: repo.name })
  }
}

/** Work on a work item goes on where an earlier task has left it, and not beside that. */
function takeOver({ db, world }: JobsContext, id: TaskId): void {
  const task = findTask(db, id)
  for (const repo of task?.repos ?? [])
    if (task?.strategy === "git_worktree" && repo.branch === null)
      takeOverWorkspace(db, task, repo, world.nowMs())
}

function setUp(
  context: JobsContext,
  { task, repo, signal }: { task: Task; repo: TaskRepo; signal: AbortSignal },
): Promise<Workspace> {
  const { workspace } = context.agentConfig(task.agent)
  const { copy, link } = context.repoConfig(repo)
  const job = findRunningJob(context.db, task.id)
  assert(job && task.agent !== null, "a task that runs has a job and an agent")
  const { branch, worktree, base } = repo
  return strategyOf(context, task).setup({
    task: task.id,
    title: task.title,
    workItem: task.workItem,
    agent: task.agent,
    job: job.id,
    nowMs: context.world.nowMs(),
    repo: repo.path,
    repoName: repo.name,
    target: repo.target,
    worktreeDir: workspace.worktreeDir,
    branchPattern: workspace.branchPattern,
    fetch: workspace.fetchBeforeSetup,
    copy,
    link,
    earlier: branch && base ? { branch, worktree, base } : undefined,
    signal,
  })
}

function record(
  { db, world }: JobsContext,
  { task, repo, workspace }: { task: Task; repo: TaskRepo; workspace: Workspace },
): void {
  const { branch, worktree, base, placed, notices, fresh } = workspace
  const nowMs = world.nowMs()
  transaction(db, () => {
    const key = { task: task.id, name: repo.name }
    // What an earlier configuration placed is still there, and still nobody's work.
    const all = fresh ? placed : [...new Set([...repo.placed, ...placed])]
    if (branch === undefined)
      recordAsFound(db, { ...key, base, asFound: workspace.asFound ?? null })
    else recordWorkspace(db, { ...key, branch, worktree, base, placed: all })
    const data = { repo: repo.name, worktree, branch, base, fresh, notices }
    appendEvent(db, { type: "workspace.ready", task: task.id, data }, nowMs)
    for (const text of notices)
      appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, nowMs)
  })
}

async function makeReady(
  context: JobsContext,
  { task, repo, worktree }: { task: Task; repo: TaskRepo; worktree: string },
  signal: AbortSignal,
): Promise<void> {
  const { setup, check } = context.repoConfig(repo)
  const isOurs = task.strategy === "git_worktree" // a folder of the user's is set up by the user
  const inputs = isOurs && (await readSetupInputs(worktree, { setup, task: task.id }))
  const env = context.environment(task, repo.name)
  const run = async (step: "setup" | "check", command: string) => {
    tell(context, task, `${step}: ${command}`)
    const runIt = (request: Parameters<typeof runBounded>[1]) => runBounded(context.owner, request)
    await bootstrap(runIt, { step, command, task: task.id, worktree, env, signal })
  }
  const command = inputs ? inputs.command : undefined
  if (inputs && command !== undefined && !(await isSetUp(worktree, inputs)))
    await recordingSetUp(worktree, inputs, () => run("setup", command))
  if (check !== undefined) await run("check", check)
}

function tell({ db, world }: JobsContext, task: Task, text: string): void {
  appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, world.nowMs())
}
