/**
 * Checks whether the target is checked out, and whether that checkout can advance with it.
 *
 * The user's checkout is theirs (law 5). Git's own two-way merge protects edits and untracked
 * files. But it overwrites ignored files, and restores files that were deleted or replaced by a
 * link. So we check every path of the move on disk. The check writes nothing there, not even the
 * index.
 */
import { existsSync } from "node:fs"
import { lstat } from "node:fs/promises"
import { dirname } from "node:path"
import type { GitPath, Oid, RefName } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { describeCalledBare } from "../../git/ask/called-bare.ts"
import { type Change, listChanges } from "../../git/ask/diff-tree.ts"
import { ObjectsMissingError } from "../../git/ask/errors.ts"
import { isCheckedOutNowhere } from "../../git/ask/heads.ts"
import { listHidden, listIndexed } from "../../git/ask/ls-files.ts"
import { readSizes } from "../../git/ask/object-sizes.ts"
import { inProgress, readOperation } from "../../git/ask/operation-in-progress.ts"
import { readStatus } from "../../git/ask/status.ts"
import { listWorktrees, type Worktree } from "../../git/ask/worktree-list.ts"
import { findIndexLock, type OwnLocks } from "../../git/change/own-index.ts"
import { tryReadTree } from "../../git/change/read-tree.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import { findUntrackedAt } from "../../workspaces/colliding-files.ts"

export type Move = { readonly target: RefName; readonly from: Oid; readonly to: Oid }

export type CheckoutLook =
  | { readonly kind: "none" }
  | { readonly kind: "clear"; readonly checkout: string }
  | { readonly kind: "locked"; readonly reason: string; readonly paths: readonly string[] }
  | { readonly kind: "inTheWay"; readonly reason: string; readonly paths: readonly string[] }

/** @param held index locks of the caller. */
export async function lookAtCheckout(
  repo: string,
  move: Move,
  held?: OwnLocks,
): Promise<CheckoutLook> {
  if (isCheckedOutNowhere(repo, move.target)) return { kind: "none" }
  const all = (await listWorktrees(repo)).filter(({ bare }) => !bare)
  const away = all.find((worktree) => worktree.branch === move.target && isAway(worktree))
  if (away) return inTheWay(`${move.target} is checked out in ${away.path}, ${notThere(away)}`)
  const worktrees = all.filter(({ prunable }) => !prunable)
  const busy = await findBusy(worktrees, move.target)
  if (busy) return inTheWay(inProgress(busy.kind, busy.path))
  const [found, second] = worktrees.filter(({ branch }) => branch === move.target)
  if (!found) return { kind: "none" }
  if (second)
    return inTheWay(
      `${move.target} is checked out twice, in ${found.path} and ${second.path}; switch one of them to another branch`,
    )
  if (found.calledBare) return inTheWay(await describeCalledBare(repo, found.path))
  return look(found.path, move, held)
}

/**
 * The folder may be on an unmounted disk: the worktree is locked, or its parent folder is gone too.
 */
const isAway = ({ path, prunable }: Worktree): boolean =>
  !existsSync(path) && (!prunable || !existsSync(dirname(path)))

const notThere = ({ path }: Worktree): string =>
  `which is not there now; if it is gone for good, \`git worktree remove -f -f ${shellWord(path)}\` frees it`

/** Finds an operation in progress on the target, also a rebase, which detaches HEAD. */
async function findBusy(worktrees: readonly Worktree[], target: RefName) {
  for (const { path, branch, gitDir } of worktrees) {
    const operation = gitDir === undefined ? undefined : readOperation(gitDir)
    if (operation && (branch === target || operation.branch === target))
      return { path, kind: operation.kind }
  }
  return undefined
}

async function look(checkout: string, { from, to }: Move, held?: OwnLocks): Promise<CheckoutLook> {
  const lock = await findIndexLock(checkout, held)
  if (lock) return locked(lock)
  const changes = await listChanges(checkout, from, to)
  await assertComplete(checkout, changes)
  const onDisk = await findUntrackedAt(checkout, changes)
  if (onDisk.length > 0) return inTheWay(`files in ${checkout} would be overwritten`, onDisk)
  const deleted = await findDeleted(checkout, changes)
  if (deleted.length > 0) return inTheWay(`files that ${checkout} lacks would be changed`, deleted)
  const read = await tryReadTree(checkout, { from, to }, held)
  if (read.kind === "done") return { kind: "clear", checkout }
  if (read.kind === "locked") return locked(read.lock)
  const edited = await findEdited(checkout, changes)
  return inTheWay(`uncommitted changes in ${checkout} are in the way`, edited)
}

/** @throws {ObjectsMissingError} if objects for the checkout are missing. */
async function assertComplete(checkout: string, changes: readonly Change[]): Promise<void> {
  const files = changes.filter(({ status, newMode }) => status !== "D" && newMode !== "160000")
  const sizes = await readSizes(
    checkout,
    files.map(({ newOid }) => newOid),
  )
  const missing = sizes.filter((size) => size === undefined).length
  if (missing > 0) throw new ObjectsMissingError(checkout, missing)
}

/**
 * Files deleted from disk but not from the index. Git would restore them, except where the move adds
 * the very file that the index has.
 */
async function findDeleted(checkout: string, changes: readonly Change[]): Promise<GitPath[]> {
  const absent: GitPath[] = []
  for (const { path, status } of changes)
    if (status !== "A" && !(await isOnDisk(checkout, path))) absent.push(path)
  if (absent.length === 0) return absent
  const indexed = await listIndexed(checkout)
  return absent.filter((path) => indexed.get(path) === "wanted")
}

async function findEdited(checkout: string, changes: readonly Change[]): Promise<GitPath[]> {
  const status = await readStatus(checkout, { isUsers: true })
  const edited = new Set([...status.staged, ...status.unstaged, ...status.untracked])
  const paths = changes.map(({ path }) => path)
  const told = paths.filter((path) => edited.has(path))
  if (told.length > 0) return told
  const hidden = new Set(await listHidden(checkout)) // which a status does not list
  return paths.filter((path) => hidden.has(path))
}

const isOnDisk = (checkout: string, path: GitPath): Promise<boolean> =>
  lstat(joinBytes(checkout, path)).then(
    () => true,
    () => false, // absent, or its folder is
  )

const locked = (lock: string): CheckoutLook => ({
  kind: "locked",
  reason: `git's lock ${lock} is held`,
  paths: [lock],
})

const inTheWay = (reason: string, paths: readonly GitPath[] = []): CheckoutLook => ({
  kind: "inTheWay",
  reason,
  paths: paths.map(displayPath),
})
