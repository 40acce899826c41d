/**
 * Commits what an agent left uncommitted: staged, unstaged, untracked and not ignored.
 *
 * Never what `copy` and `link` placed, not even where the agent staged it.
 */

import type { GitPath, Oid, RefName } from "../../core/ids.ts"
import { IndexLockedError } from "../../git/errors.ts"
import { addAll } from "../../git/index/add.ts"
import { commitIndex } from "../../git/index/commit.ts"
import { revealPresent } from "../../git/index/hidden.ts"
import { type InstallCopy, onIndexCopy } from "../../git/index/index-copy.ts"
import { readStatus, type Status } from "../../git/index/status.ts"
import { writeIndexInfo } from "../../git/index/update-index.ts"
import { writeTree } from "../../git/index/write-tree.ts"
import { listTree } from "../../git/trees/ls-tree.ts"
import { isPlaced } from "../../workspaces/placed.ts"

export type Leftovers =
  /** All is in this commit. */
  | { readonly kind: "committed"; readonly head: Oid }
  /** Conflicts, nested repositories, changed submodules: nothing that could be committed. */
  | { readonly kind: "unresolved"; readonly paths: readonly GitPath[] }
  /** Somebody else is committing, or staging. */
  | { readonly kind: "locked" }

export type LeftoversOf = {
  /** HEAD, and its branch. */
  readonly commit: Oid
  readonly ref: RefName
  readonly message: string
  readonly placed: readonly string[]
}

/** Paths of what is not committed in a worktree that is not ours; only looks. */
export async function listLeftovers(worktree: string): Promise<readonly GitPath[]> {
  const { staged, unstaged, untracked, unmerged } = await readStatus(worktree)
  return [...new Set([...staged, ...unstaged, ...unmerged, ...untracked])]
}

/** @throws {IndexLockedError} */
export async function commitLeftovers(
  worktree: string,
  { commit, ref, message, placed }: LeftoversOf,
): Promise<Leftovers> {
  await revealPresent(worktree)
  const staged = await onIndexCopy(worktree, (indexFile, install) =>
    stage(worktree, { indexFile, install }, { commit, placed }),
  )
  if (staged.kind === "clean") return { kind: "committed", head: commit }
  if (staged.kind !== "staged") return staged
  const { tree } = staged
  const head = { ref, commit }
  const committed = await commitIndex(worktree, { message, head, tree })
  if (committed.kind === "unchanged") return { kind: "committed", head: commit }
  if (committed.kind === "committed") return { kind: "committed", head: committed.commit }
  return { kind: "locked" }
}

type Staged =
  | { readonly kind: "clean" }
  | { readonly kind: "staged"; readonly tree: Oid }
  | Exclude<Leftovers, { kind: "committed" }>

/** Takes everything into the index, by way of the copy. */
async function stage(
  worktree: string,
  { indexFile, install }: { readonly indexFile: string; readonly install: InstallCopy },
  { commit, placed }: Pick<LeftoversOf, "commit" | "placed">,
): Promise<Staged> {
  const isLeft = (path: GitPath) => !isPlaced(path, placed)
  const status = await readStatus(worktree, { indexFile })
  const paths = findUnresolved(status).filter(isLeft)
  if (paths.length > 0) return { kind: "unresolved", paths }
  const leftovers = [...status.staged, ...status.unstaged, ...status.untracked].filter(isLeft)
  if (leftovers.length === 0) return { kind: "clean" }

  const staged = status.staged.filter((path) => isPlaced(path, placed))
  if (staged.length > 0) await unstage(worktree, commit, staged, { indexFile })
  await addAll(worktree, { except: placed, status, indexFile })
  const tree = await writeTree(worktree, { indexFile })
  const installed = await install()
  if (installed.kind === "locked") throw new IndexLockedError(installed.lock)
  return installed.kind === "changed" ? { kind: "locked" } : { kind: "staged", tree }
}

/** What no commit can take as it is: conflicts, nested repositories, changed submodules. */
export function findUnresolved({ unmerged, untracked, submodules }: Status): GitPath[] {
  const nested = untracked.filter((path) => path.endsWith("/"))
  return [...unmerged, ...nested, ...submodules.map(({ path }) => path)]
}

/** Puts paths of the index back to what `commit` has. */
export async function unstage(
  worktree: string,
  commit: Oid,
  paths: readonly GitPath[],
  index: { readonly indexFile?: string } = {},
): Promise<void> {
  const tree = new Map((await listTree(worktree, commit)).map((entry) => [entry.path, entry]))
  const none = { mode: "000000", oid: "0".repeat(commit.length) as Oid }
  await writeIndexInfo(
    worktree,
    paths.map((path) => ({ ...(tree.get(path) ?? none), path })),
    index,
  )
}
