/**
 * Gives a task a worktree from the pool: a row, a look for pipes in two folders, `git switch --detach` if the target has
 * moved, and `git switch --create`. While the target has not moved, no file is read or written.
 *
 * A repeated try, after a death at any instant, finds the task's own row and goes on.
 */

import { branchRef, type RefName } from "../../base/ids.ts"
import { switchTo, switchToNew } from "../../kernel/git/change/switch.ts"
import { findGitDir } from "../../kernel/git/start/git-dir.ts"
import { hasPipe } from "../../kernel/process/disk.ts"
import { transaction } from "../../kernel/store/sql.ts"
import type { AddedWorktree } from "../../kernel/workspaces/git-worktree/add-worktree.ts"
import { assertNoClash, chooseBranch } from "../../kernel/workspaces/git-worktree/choose-branch.ts"
import { findTaskWorktrees } from "../../kernel/workspaces/git-worktree/find-task-worktrees.ts"
import { madeFolder } from "../../kernel/workspaces/git-worktree/made-folder.ts"
import { withRepoLock } from "../../kernel/workspaces/locks/repo-lock.ts"
import { recordRescued } from "../../kernel/workspaces/rows/rescues.ts"
import { findOwnWorktree, recordWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import type { RecordedWorkspace, WorkspaceRequest } from "../../kernel/workspaces/workspace.ts"
import type { WorktreeClaim } from "../../kernel/workspaces/worktree-pool.ts"
import { worktreesFolder } from "../../kernel/workspaces/worktrees-folder.ts"
import { type FoundEntry, inspectEntry } from "./inspect-entry.ts"
import { moveEntry } from "./move-entry.ts"
import type { Pool } from "./pool.ts"
import { findPoolEntry, listPoolOf, type PoolEntry, type PoolKey } from "./rows/list.ts"
import { claimPoolEntry, recordPoolEntry, removePoolEntry } from "./rows/record.ts"
import { clearStrays } from "./stray-files.ts"

/** @returns undefined if a worktree has to be added. */
export async function claimWorktree(
  pool: Pool,
  claim: WorktreeClaim,
): Promise<AddedWorktree | undefined> {
  const { repository, request, base } = claim
  if (!request.pooled || request.earlier) return undefined
  if (wasAdded(pool, claim)) return undefined
  const { root } = repository
  const key = { repo: root, folder: await madeFolder(worktreesFolder(request), root) }
  const wanted = { ...key, task: request.task, base: base.commit }
  for (;;) {
    const entry = claimPoolEntry(pool.db, wanted, pool.nowMs())
    if (entry && (hasPipe(entry.path) || hasPipe(findGitDir(entry.path) ?? entry.path))) {
      recordPoolEntry(pool.db, entry, { state: "abandoned" }, pool.nowMs())
      continue
    }
    if (entry) return await takeEntry(pool, { ...claim, entry })
    if (!(await waitForUpdate(pool, key))) return undefined
  }
}

/** An earlier try added a worktree without the pool. That path clears it and adds a new one. */
function wasAdded({ db }: Pool, { repository, request: { task } }: WorktreeClaim): boolean {
  const own = findTaskWorktrees(db, repository, task)
  return own.some(({ worktree }) => findPoolEntry(db, worktree) === undefined)
}

/**
 * Waits for the keeper's next step if an entry is being updated, because it is ready sooner than a
 * new worktree.
 *
 * @returns false if no entry is being updated.
 */
async function waitForUpdate({ db, keeper }: Pool, key: PoolKey): Promise<boolean> {
  const isUpdated = ({ state, base }: PoolEntry) => state === "filling" && base !== null
  return listPoolOf(db, key).some(isUpdated) && (await keeper.nextStep(key.repo))
}

type Taking = WorktreeClaim & { readonly entry: PoolEntry }

async function takeEntry(pool: Pool, taking: Taking): Promise<AddedWorktree | undefined> {
  const { repository, request, entry } = taking
  try {
    const take = () => takeUnderLock(pool, taking)
    const added = await withRepoLock(repository.commonDir, take, request.signal)
    if (!added) giveBack(pool, entry)
    return added
  } catch (error) {
    // If the worktree may already be on the task's branch, the task keeps it: a retry continues
    // there, and removal of the task removes it.
    if (!findOwnWorktree(pool.db, entry.path)?.branch) giveBack(pool, entry)
    throw error
  }
}

/** Returns the entry as ready; the keeper inspects it later. */
function giveBack(pool: Pool, { path }: PoolEntry): void {
  const left = findPoolEntry(pool.db, path)
  if (left) recordPoolEntry(pool.db, left, { state: "ready", task: null }, pool.nowMs())
}

async function takeUnderLock(
  pool: Pool,
  { repository, request, base, entry }: Taking,
): Promise<AddedWorktree | undefined> {
  const { path: worktree } = entry
  const found = await inspectEntry(repository, entry)
  if (found?.state !== "idle") return undefined
  const done = findFinishedClaim(found, request)
  if (done) return { worktree, branch: done.branch, base: done.at, notices: base.notices }
  const { head } = found
  if (head?.kind !== "detached" || ![entry.base, base.commit].includes(head.commit))
    return undefined
  const move = { from: head.commit, to: base.commit }
  if (!(await moveEntry(worktree, move))) return undefined
  recordPoolEntry(pool.db, entry, { base: base.commit }, pool.nowMs())
  const repo = repository.root
  const { branch, tip, notices } = await chooseBranch({ repo, request, base: base.commit })
  if (tip !== undefined && tip !== base.commit) return undefined
  const { task } = request
  const own = { path: worktree, repo, purpose: "task", task } as const
  recordWorktree(pool.db, { ...own, branch })
  const attach = tip === undefined ? switchToNew : switchTo
  if (!(await attach(worktree, branch))) {
    recordWorktree(pool.db, { ...own, task: null, branch: null })
    await assertNoClash(repo, branch)
    return undefined
  }
  return { worktree, branch, base: base.commit, notices: [...base.notices, ...notices] }
}

/** An earlier try created the branch, and died before it could record that. */
function findFinishedClaim({ head }: FoundEntry, request: WorkspaceRequest) {
  const begun = request.findBegun()
  const ref: RefName | undefined = begun && branchRef(begun.branch)
  return head?.kind === "branch" && head.ref === ref && head.commit === begun?.at
    ? begun
    : undefined
}

/** Takes a worktree out of the pool once its task has recorded it, before an agent starts in it. */
export async function leavePool(
  pool: Pool,
  { task, worktree, base }: RecordedWorkspace,
): Promise<void> {
  const entry = findPoolEntry(pool.db, worktree)
  if (entry?.state !== "claimed" || entry.task !== task) return
  const rescue = await clearStrays(worktree, { home: pool.home, head: base })
  transaction(pool.db, () => {
    recordRescued({ db: pool.db, world: pool }, task, [rescue])
    removePoolEntry(pool.db, worktree)
  })
}
