/**
 * Takes the snapshot: what exactly is to land.
 *
 * Leftovers (staged, unstaged, untracked and not ignored) become a commit on the task's branch;
 * never what `copy` and `link` placed. A worktree in the middle of something is refused and left
 * as it is. Where the worktree is gone, the branch alone is the work.
 */
import { existsSync } from "node:fs"
import { assert } from "../core/assert.ts"
import { branchRef, type Oid, type RefName } from "../core/ids.ts"
import { addAll } from "../git/add.ts"
import { commitIndex } from "../git/commit.ts"
import { readHead } from "../git/head.ts"
import { isAncestor } from "../git/merge-base.ts"
import { findOperation } from "../git/operation.ts"
import { displayPath } from "../git/path.ts"
import { readCommit } from "../git/rev-parse.ts"
import { readStatus } from "../git/status.ts"
import { recordBranch } from "../store/task-repos/record-branch.ts"
import type { TaskRepo } from "../store/tasks/row.ts"
import type { Action, LandingStep } from "./action.ts"
import { keep } from "./keep-refs.ts"

type Snapshot =
  | { readonly kind: "taken"; readonly head: Oid }
  | { readonly kind: "refused"; readonly reason: string }

export const snapshotting: Action = async (step) => {
  const heads = []
  for (const repo of step.task.repos) {
    const snapshot = await take(step, repo)
    if (snapshot.kind === "refused")
      return { event: "failed", outcome: "WORKTREE_ERROR", reason: snapshot.reason }
    await keep(repo.path, step.task.id, { kept: "head", commit: snapshot.head })
    heads.push({ name: repo.name, head: snapshot.head, base: null, candidate: null })
  }
  return { event: "snapshotted", repos: heads }
}

async function take(step: LandingStep, repo: TaskRepo): Promise<Snapshot> {
  assert(repo.branch, "a task that lands has a branch")
  const { worktree } = repo
  if (!worktree || !existsSync(worktree)) {
    const head = await readCommit(repo.path, branchRef(repo.branch))
    if (!head) return refused(`neither the worktree nor the branch ${repo.branch} exists any more`)
    return { kind: "taken", head }
  }
  const operation = await findOperation(worktree)
  if (operation) return refused(`a ${operation} is in progress in ${worktree}`)
  const head = await readHead(worktree)
  if (head.kind === "branch" && head.commit)
    return takeFrom(step, repo, { worktree, ref: head.ref, commit: head.commit })
  const branch = branchRef(repo.branch)
  const tip = await readCommit(worktree, branch)
  if (head.kind === "detached" && tip && (await isAncestor(worktree, head.commit, tip)))
    return takeDetached(worktree, tip)
  return refused(`HEAD in ${worktree} is detached and holds commits that ${repo.branch} does not`)
}

/** HEAD was left detached on something the branch contains: the branch is the work, if all is clean. */
async function takeDetached(worktree: string, tip: Oid): Promise<Snapshot> {
  const status = await readStatus(worktree)
  if (status.staged.length + status.unstaged.length + status.untracked.length > 0)
    return refused(`HEAD in ${worktree} is detached and there are uncommitted changes`)
  return { kind: "taken", head: tip }
}

async function takeFrom(
  step: LandingStep,
  repo: TaskRepo,
  { worktree, ref, commit }: { worktree: string; ref: RefName; commit: Oid },
): Promise<Snapshot> {
  const other = await followRename(step, repo, { ref, commit })
  if (other) return refused(other)
  const status = await readStatus(worktree)
  const nested = status.untracked.filter((path) => path.endsWith("/"))
  const submodules = status.submodules.map(({ path }) => path)
  const trouble = [...status.unmerged, ...nested, ...submodules]
  if (trouble.length > 0)
    return refused(
      `unresolved files, nested repositories or changed submodules in ${worktree}: ${trouble.map(displayPath).join(", ")}`,
    )
  const leftovers = [...status.staged, ...status.unstaged, ...status.untracked]
  if (!leftovers.some((path) => !repo.placed.includes(displayPath(path))))
    return { kind: "taken", head: commit }
  const { commitMessage } = step.context.agentConfig(step.task.agent).workspace
  await addAll(worktree, { except: repo.placed })
  const message = commitMessage.replaceAll("{summary}", step.task.title)
  const committed = await commitIndex(worktree, { message })
  if (committed.kind === "unchanged") return { kind: "taken", head: commit }
  if (committed.kind === "committed") return { kind: "taken", head: committed.commit }
  return refused(`${ref} in ${worktree} is being changed by somebody else`)
}

/** Follows the worktree where the agent renamed its branch; anything else on HEAD is not this task's. */
async function followRename(
  { context, task }: LandingStep,
  repo: TaskRepo,
  { ref, commit }: { ref: RefName; commit: Oid },
): Promise<string | undefined> {
  const branch = ref.replace("refs/heads/", "")
  if (branch === repo.branch) return undefined
  if (branch === repo.target) return `the worktree stands on ${branch}, which is the target itself`
  const recorded = await readCommit(repo.path, branchRef(repo.branch ?? ""))
  if (recorded && !(await isAncestor(repo.path, recorded, commit)))
    return `the worktree stands on ${branch}, which does not contain ${repo.branch}`
  recordBranch(context.db, { task: task.id, name: repo.name, branch })
  return undefined
}

const refused = (reason: string): Snapshot => ({ kind: "refused", reason })
