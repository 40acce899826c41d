/** Gives a task a worktree of its pool: one that is ready, else a new one that the pool gets later. */
import { branchRef } from "../../core/ids.ts"
import { areRefsFiles } from "../../git/refs/head-file.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { listPoolOf } from "../../store/pool/list.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import { branchName } from "../branch-name.ts"
import { type AddedWorktree, addTaskWorktree, madeFolder } from "../git-worktree/add.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { readFreshBase } from "../git-worktree/fresh-base.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { worktreesFolder } from "../worktrees-folder.ts"
import { reservePath } from "./add-entry.ts"
import { claimEntry, type Wanted } from "./claim.ts"
import type { Pool } from "./pool.ts"

/** @returns undefined where the task's worktree is no pool's. */
export async function setUpFromPool(
  context: WorktreeContext,
  repository: Repository,
  request: WorkspaceRequest,
): Promise<AddedWorktree | undefined> {
  const { pool } = context
  if (!pool || !request.pooled || request.earlier?.worktree) return undefined
  if (!areRefsFiles(repository.commonDir)) return undefined
  const ref = branchRef(request.earlier?.branch ?? branchName(request.branchPattern, request))
  const [folder, base, tip] = await Promise.all([
    madeFolder(worktreesFolder(request)),
    readFreshBase(repository, request),
    readCommit(repository.root, ref),
  ])
  const key = { repo: repository.root, folder }
  const at = { base: base.commit, ref, isTaken: tip !== undefined }
  const wanted = { repository, key, request, ...at }
  const claimed = await claimSoon(context, pool, wanted)
  if (claimed) return { ...claimed, notices: [...base.notices, ...claimed.notices] }
  const entry = findReserved(pool, wanted) ?? reservePath(pool, key, request.task)
  const added = await addTaskWorktree(context, repository, request, { path: entry.path, base })
  recordPoolEntry(pool.db, entry, { base: added.base }, pool.nowMs())
  return added
}

/** One that is just being cleaned or brought up to date is there sooner than a new one. */
async function claimSoon(
  context: WorktreeContext,
  pool: Pool,
  wanted: Wanted,
): Promise<AddedWorktree | undefined> {
  for (;;) {
    const claimed = await claimEntry(context, pool, wanted)
    if (claimed.kind !== "none_ready") return claimed.kind === "done" ? claimed.added : undefined
    const entries = listPoolOf(pool.db, wanted.key)
    const isComing = entries.some(({ state, base }) => state === "filling" && base !== null)
    if (!isComing || !(await pool.keeper.step(wanted.key.repo))) return undefined
  }
}

/** Of an earlier try that was cut short before its worktree was whole. */
function findReserved({ db }: Pool, { key, request }: Wanted): PoolEntry | undefined {
  const own = listPoolOf(db, key).filter(({ task, base }) => task === request.task && base === null)
  return own.find(({ state }) => state === "claimed")
}
