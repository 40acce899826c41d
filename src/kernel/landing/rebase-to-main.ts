/**
 * Rebases a task's worktree onto its target at its agent's request. The rebase finishes, or stops
 * with conflicts for the agent to resolve.
 *
 * Afterwards the branch is the target with only the task's own commits on top, so it never reverts
 * others' work. Before anything moves, uncommitted changes become a commit, as in a snapshot, and a
 * rescue ref keeps everything.
 */
import { existsSync } from "node:fs"
import type { RebasedDocument } from "../../api/wire/agent.ts"
import { branchRef, type Oid } from "../../base/ids.ts"
import { changesSubmodules } from "../git/ask/gitlinks.ts"
import { readHead } from "../git/ask/head.ts"
import { isAncestor, readMergeBase } from "../git/ask/merge-base.ts"
import { findOperation } from "../git/ask/operation-in-progress.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { readStatus } from "../git/ask/status.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import { rebase } from "../git/change/rebase.ts"
import { displayPath } from "../git/start/git-path.ts"
import { appendEvent } from "../store/events.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../tasks/rows/find.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import { recordBase } from "../tasks/rows/task-repos/work.ts"
import { clearCollisions } from "../workspaces/colliding-files.ts"
import { rescueCommit } from "../workspaces/rescue/rescue.ts"
import { recordRescued } from "../workspaces/rows/rescues.ts"
import { listLeftBehind } from "../workspaces/submodules.ts"
import type { LandingContext } from "./action.ts"
import { findBase } from "./candidate/work-base.ts"
import { commitLeftovers } from "./snapshot/leftovers.ts"
import { leftoversMessage } from "./snapshot/leftovers-message.ts"

export type RebaseContext = Pick<
  LandingContext,
  "db" | "world" | "home" | "taskLock" | "agentConfig"
>

const REASON = "rebased at its agent's request"

/**
 * Waits until no other process, such as its landing, works in the task's worktree.
 *
 * @param repo one of the task's.
 * @throws {WorkspaceError} if files in the way cannot be saved.
 */
export function rebaseToMain(
  context: RebaseContext,
  task: Task,
  repo: TaskRepo,
): Promise<RebasedDocument> {
  return context.taskLock.hold(task.id, async () => {
    const now = findTask(context.db, task.id)
    return now ? integrate(context, now, repo) : refusedRebase("the task is gone")
  })
}

type Work = { readonly worktree: string; readonly head: Oid; readonly target: Oid }

async function integrate(
  context: RebaseContext,
  task: Task,
  repo: TaskRepo,
): Promise<RebasedDocument> {
  if (task.state !== "working") return refusedRebase(`the task is ${task.state}, not working`)
  const { worktree, branch } = repo
  const strange = await findStrange(repo)
  if (!worktree || !branch || strange) return refusedRebase(strange ?? "there is no worktree")
  const target = await readCommit(repo.path, branchRef(repo.target))
  const commit = await readCommit(worktree, branchRef(branch))
  if (!target || !commit)
    return refusedRebase(`the branch ${target ? branch : repo.target} is gone`)

  const message = leftoversMessage(context.agentConfig(task), task)
  const left = await commitLeftovers(worktree, { commit, ref: branchRef(branch), message, repo })
  if (left.kind === "locked") return refusedRebase("git is at work in the worktree; try again")
  if (left.kind === "tooMuch")
    return refusedRebase(
      `${left.amount} are not committed (${left.named}); commit or remove them first`,
    )
  if (left.kind === "unresolved")
    return refusedRebase(
      `these cannot be committed: ${left.unresolved.map(({ path }) => displayPath(path)).join(", ")}`,
    )
  const work = { worktree, head: left.head, target }
  if (await isAncestor(worktree, target, left.head)) {
    const onto = await findNewBase(repo, target)
    if (onto) recordBase(context.db, { task: task.id, name: repo.name, base: onto }) // also after a crash
    return { ...facts(repo, work), kind: "upToDate" }
  }
  return await run(context, { task, repo, work })
}

/** @returns why the task's branch cannot be rebased in this worktree now. */
async function findStrange({ path, worktree, branch }: TaskRepo): Promise<string | undefined> {
  if (!worktree || !existsSync(worktree)) return "there is no worktree"
  if (!(await isWorktreeOf(worktree, path))) return `${worktree} is not a worktree of ${path}`
  const operation = await findOperation(worktree)
  if (operation) return `a ${operation} is in progress; finish or abort it first`
  const head = await readHead(worktree)
  if (head.kind === "branch" && branch && head.ref === branchRef(branch)) return undefined
  return `the worktree does not stand on ${branch}`
}

type Run = { readonly task: Task; readonly repo: TaskRepo; readonly work: Work }

async function run(context: RebaseContext, { task, repo, work }: Run): Promise<RebasedDocument> {
  const { worktree, head, target } = work
  const mergeBase = await readMergeBase(worktree, head, target)
  const base = await findBase(repo.path, repo, { head, mergeBase })
  if (!base) return refusedRebase(`${repo.target} and ${repo.branch} share no history`)
  const owner = { home: context.home, task: task.id }
  const request = { owner, safeCommits: [target], reason: REASON }
  const saved = await rescueCommit(repo.path, head, request)
  const cleared = await clearCollisions(worktree, { owner, from: head, to: target })
  recordRescued(context, task.id, [saved, cleared])
  await context.world.point("rebase: saved")
  const { stderr } = await rebase(worktree, { base, onto: target })
  await context.world.point("rebase: ran")
  const isStopped = (await findOperation(worktree)) !== undefined
  const now = await readCommit(worktree, "HEAD")
  if (!isStopped && (!now || !(await isAncestor(worktree, target, now))))
    return refusedRebase(`git does not rebase it: ${stderr.trim().split("\n").at(-1)}`)
  const onto = await findNewBase(repo, target)
  record(context, { task, repo, work }, { onto, isStopped })
  const status = await readStatus(worktree)
  const submodules = (await listLeftBehind(worktree, repo, status)).map(displayPath)
  const told = { ...facts(repo, work), rescue: saved?.ref ?? null, submodules }
  if (!isStopped) return { ...told, kind: "rebased" }
  return { ...told, kind: "conflict", paths: status.unmerged.map(displayPath) }
}

/**
 * The target, unless it has moved submodules since the recorded base: git leaves them where they
 * were, and a commit of them is found by what the target gained since then.
 */
async function findNewBase({ path, base }: TaskRepo, target: Oid): Promise<Oid | undefined> {
  return base && (await changesSubmodules(path, base, target)) ? undefined : target
}

/** Also after a stop: when the agent continues, its result descends from the target. */
function record(
  { db, world }: RebaseContext,
  { task, repo, work }: Run,
  { onto, isStopped }: { readonly onto: Oid | undefined; readonly isStopped: boolean },
): void {
  transaction(db, () => {
    if (onto) recordBase(db, { task: task.id, name: repo.name, base: onto })
    const data = { name: repo.name, onto: work.target, head: work.head, conflict: isStopped }
    appendEvent(db, { type: "workspace.rebased", task: task.id, data }, world.nowMs())
  })
}

const facts = ({ target: branch, worktree }: TaskRepo, { target }: Work) => ({
  target: branch,
  onto: target,
  worktree: worktree ?? "",
  rescue: null,
  paths: [],
  submodules: [],
  reason: null,
})

export const refusedRebase = (reason: string): RebasedDocument => ({
  kind: "refused",
  target: null,
  onto: null,
  worktree: null,
  rescue: null,
  paths: [],
  submodules: [],
  reason,
})
