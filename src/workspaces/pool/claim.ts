/**
 * Hands a worktree of a pool over to a task: the row first, then the mark of ownership, the branch,
 * and last HEAD; no lock, no checkout, and nothing that grows with the repository.
 *
 * HEAD is put on the branch before there is one, so that nobody else can find the branch free in
 * between. A repeated try, after a death at any instant, finds the task's own row and goes on.
 */
import { branchOf, type Oid, type RefName } from "../../core/ids.ts"
import { GitError } from "../../git/errors.ts"
import { updateRef } from "../../git/refs/update-ref.ts"
import { writeHead } from "../../git/refs/write-head.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { claimPoolEntry } from "../../store/pool/claim.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import type { PoolEntry, PoolKey } from "../../store/pool/row.ts"
import type { AddedWorktree } from "../git-worktree/add.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { madeFor } from "../git-worktree/left-branch.ts"
import { recordOwner } from "../git-worktree/ownership.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { bringUp } from "./bring-up.ts"
import { type FoundEntry, findEntry, readIdleHead } from "./entry.ts"
import { forgetPath } from "./forget-path.ts"
import type { Pool } from "./pool.ts"
import { findUnused } from "./unused.ts"

export type Wanted = {
  readonly repository: Repository
  readonly key: PoolKey
  readonly request: WorkspaceRequest
  /** The commit that work starts from. */
  readonly base: Oid
  /** The branch that it is to have, and whether there is one already, perhaps with work on it. */
  readonly ref: RefName
  readonly isTaken: boolean
}

type HandedOver =
  | { readonly kind: "done"; readonly added: AddedWorktree }
  /** There is such a branch: it is looked at by whoever adds a worktree. */
  | { readonly kind: "branch_taken" }
  /** Somebody was there, or it cannot be brought to the base. */
  | { readonly kind: "unfit" }

export type Claimed = Exclude<HandedOver, { kind: "unfit" }> | { readonly kind: "none_ready" }

/**
 * Hands the pool's next worktree that is ready to the task. Safe to repeat.
 *
 * @returns `branch_taken` and `none_ready` where a worktree has to be added instead.
 */
export async function claimEntry(
  context: WorktreeContext,
  pool: Pool,
  wanted: Wanted,
): Promise<Claimed> {
  const { key, request, base } = wanted
  const claim = { ...key, task: request.task, base }
  for (;;) {
    const entry = claimPoolEntry(pool.db, claim, pool.nowMs())
    if (!entry || entry.base === null) return { kind: "none_ready" }
    const handed = await handOver(context, pool, { ...wanted, entry })
    if (handed.kind === "done") return handed
    await takeBack(context, wanted, entry)
    if (handed.kind === "branch_taken") {
      recordPoolEntry(pool.db, entry, { state: "ready", task: null }, pool.nowMs())
      return handed
    }
    // Somebody works there, or it is to be cleaned; a tear-down would have saved what it holds.
    if (await findUnused(wanted.repository, context.home, entry))
      recordPoolEntry(pool.db, entry, { state: "filling", task: null }, pool.nowMs())
    else forgetPath(pool.db, entry.path)
  }
}

/** No agent has been in it. */
async function takeBack(
  { home }: WorktreeContext,
  { repository, request }: Wanted,
  entry: PoolEntry,
): Promise<void> {
  const found = findEntry(repository, entry)
  const isTasks = found?.owner?.home === home && found.owner.task === request.task
  if (isTasks) recordOwner(found.dir, { home, task: null })
}

type Handing = Wanted & { readonly entry: PoolEntry }

async function handOver(
  context: WorktreeContext,
  pool: Pool,
  handing: Handing,
): Promise<HandedOver> {
  const { repository, entry, request, base, isTaken } = handing
  const found = findEntry(repository, entry)
  const head = found && (await readIdleHead(found, entry))
  if (!found || !head || found.owner?.home !== context.home) return { kind: "unfit" }
  const { task } = found.owner
  const worktree = entry.path
  if (head.kind === "branch") {
    // Of a try of ours that got this far; the branch itself may still be missing.
    if (task !== request.task || entry.base === null) return { kind: "unfit" }
    const at = { ref: head.ref, base: entry.base }
    const tip = await readCommit(repository.root, head.ref)
    const isBegun = request.begun?.branch === branchOf(head.ref) && request.begun.at === tip
    const isOurs = tip === undefined ? await makeOwn(context, handing, at) : isBegun
    return isOurs ? done(worktree, at) : letGo(found, at.base)
  }
  if (task !== null && task !== request.task) return { kind: "unfit" }
  if (isTaken) return { kind: "branch_taken" }
  const { dir } = found
  if (entry.base !== base) {
    if (!entry.base || !(await bringUp({ worktree, dir, from: entry.base, to: base })))
      return { kind: "unfit" }
    recordPoolEntry(pool.db, entry, { base }, pool.nowMs())
  }
  return await attach(context, handing, found)
}

/** `found` stands detached at the base. */
async function attach(
  context: WorktreeContext,
  handing: Handing,
  found: FoundEntry,
): Promise<HandedOver> {
  const { entry, request, base, ref } = handing
  const { home } = context
  recordOwner(found.dir, { home, task: request.task, branch: branchOf(ref) })
  if (writeHead(found.dir, ref) === "locked") return { kind: "unfit" }
  const at = { ref, base }
  return (await makeOwn(context, handing, at)) ? done(entry.path, at) : letGo(found, base)
}

/** Of a branch that is somebody else's: the worktree stands detached again. */
const letGo = ({ dir }: FoundEntry, base: Oid): HandedOver => ({
  kind: writeHead(dir, base) === "written" ? "branch_taken" : "unfit",
})

/** @returns whether it was made: another may be faster, or have a name that leaves no room for it. */
async function makeOwn(
  { home }: WorktreeContext,
  { repository, request }: Handing,
  { ref, base }: { readonly ref: RefName; readonly base: Oid },
): Promise<boolean> {
  const reason = madeFor({ home, task: request.task })
  request.recordBranch({ branch: branchOf(ref), at: base })
  try {
    return (
      (await updateRef(repository.root, { ref, from: null, to: base, reason })).kind === "moved"
    )
  } catch (error) {
    if (error instanceof GitError && !error.transient) return false
    throw error
  }
}

const done = (
  worktree: string,
  { ref, base }: { readonly ref: RefName; readonly base: Oid },
): HandedOver => ({
  kind: "done",
  added: { worktree, branch: branchOf(ref), base, notices: [] },
})
