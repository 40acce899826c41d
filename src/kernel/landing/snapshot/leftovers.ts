/**
 * Commits an agent's leftovers: staged, unstaged, and untracked files that are not ignored.
 *
 * Never commits files from `copy`, `link` or set-up, or submodules that git left behind, even if the
 * agent staged them. More than a bounded amount waits for a person: it is rarely work, and no person
 * has seen it.
 */

import type { GitPath, Oid, RefName } from "../../../base/ids.ts"
import { describePaths } from "../../../base/text/group-paths.ts"
import type { TargetOf } from "../../git/ask/newest-tip.ts"
import { readStatus, type Status } from "../../git/ask/status.ts"
import { addAll } from "../../git/change/add.ts"
import { commitIndex } from "../../git/change/commit.ts"
import { type InstallCopy, onIndexCopy } from "../../git/change/index-copy.ts"
import { revealPresent } from "../../git/change/reveal-files.ts"
import { unstage } from "../../git/change/update-index.ts"
import { writeTree } from "../../git/change/write-tree.ts"
import { IndexLockedError } from "../../git/start/errors.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import { isPlaced } from "../../workspaces/placed-files.ts"
import { measureFiles } from "../../workspaces/rescue/rescue-bounds.ts"
import { findLeftBehind } from "../../workspaces/submodules.ts"

export type Leftovers =
  /** Everything is in this commit. */
  | { readonly kind: "committed"; readonly head: Oid }
  /** Conflicts, nested repositories, changed submodules: nothing that could be committed. */
  | { readonly kind: "unresolved"; readonly unresolved: readonly Unresolved[] }
  /** More than {@link NEW_FILES_MAX} or {@link BYTES_MAX}; `amount` and `named` are for a sentence. */
  | { readonly kind: "tooMuch"; readonly amount: string; readonly named: string }
  /** Another process is committing or staging. */
  | { readonly kind: "locked" }

/** More than an agent writes by hand in a task; a virtual environment or a build leaves more. */
const NEW_FILES_MAX = 500
const BYTES_MAX = 50 * 1024 * 1024
const MIB = 1024 * 1024
const NAMED_MAX = 3

export type LeftoversOf = {
  /** HEAD, and its branch. */
  readonly commit: Oid
  readonly ref: RefName
  readonly message: string
  readonly repo: TargetOf & Pick<TaskRepo, "placed">
}

/** Uncommitted paths in a worktree that is not ours. Changes nothing. */
export async function listLeftovers(worktree: string): Promise<readonly GitPath[]> {
  const { staged, unstaged, untracked, unmerged } = await readStatus(worktree)
  return [...new Set([...staged, ...unstaged, ...unmerged, ...untracked])]
}

/** @throws {IndexLockedError} */
export async function commitLeftovers(
  worktree: string,
  { commit, ref, message, repo }: LeftoversOf,
): Promise<Leftovers> {
  await revealPresent(worktree)
  const staged = await onIndexCopy(worktree, (indexFile, install) =>
    stage(worktree, { indexFile, install }, { commit, repo }),
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

async function stage(
  worktree: string,
  { indexFile, install }: { readonly indexFile: string; readonly install: InstallCopy },
  { commit, repo }: Pick<LeftoversOf, "commit" | "repo">,
): Promise<Staged> {
  const status = await readStatus(worktree, { indexFile })
  const { behind, unclear } = await findLeftBehind(worktree, repo, status)
  const except = [...repo.placed, ...behind.map(displayPath)]
  const isLeft = (path: GitPath) => !isPlaced(path, except)
  const staged = new Set(status.staged)
  const moved = unclear.filter((path) => staged.has(path))
  const unresolved = [
    ...findUnresolved(status),
    ...moved.map((path) => ({ kind: "movedSubmodule", path }) as const),
  ].filter(({ path }) => isLeft(path))
  if (unresolved.length > 0) return { kind: "unresolved", unresolved }
  const leftovers = [...status.staged, ...status.unstaged, ...status.untracked].filter(isLeft)
  const placed = status.staged.filter((path) => isPlaced(path, except))
  const notWork = [...placed, ...status.stagedMade]
  if (leftovers.length + notWork.length === 0) return { kind: "clean" }
  const excess = await findExcess(worktree, status, leftovers)
  if (excess) return excess

  await unstage(worktree, commit, notWork, { indexFile })
  await addAll(worktree, { except, status, indexFile })
  const tree = await writeTree(worktree, { indexFile })
  const installed = await install()
  if (installed.kind === "locked") throw new IndexLockedError(installed.lock)
  return installed.kind === "changed" ? { kind: "locked" } : { kind: "staged", tree }
}

async function findExcess(
  worktree: string,
  { untracked, added }: Status,
  leftovers: readonly GitPath[],
): Promise<Extract<Leftovers, { kind: "tooMuch" }> | undefined> {
  const left = new Set(leftovers)
  const created = [...untracked, ...added].filter((path) => left.has(path))
  const named = describePaths(created.map(displayPath), NAMED_MAX)
  if (created.length > NEW_FILES_MAX)
    return { kind: "tooMuch", amount: `${created.length} new files`, named }
  const { bytes, bySizeDesc } = await measureFiles(worktree, [...left])
  if (bytes <= BYTES_MAX) return undefined
  const some = bySizeDesc.slice(0, NAMED_MAX).map(displayPath).join(", ")
  return { kind: "tooMuch", amount: `${Math.ceil(bytes / MIB)} MiB`, named: some }
}

export type Unresolved = {
  readonly kind: "conflict" | "repository" | "submodule" | "movedSubmodule"
  readonly path: GitPath
}

/** Changes that no commit can hold: conflicts, nested repositories, changed submodules. */
export function findUnresolved({ unmerged, untracked, submodules }: Status): Unresolved[] {
  const nested = untracked.filter((path) => path.endsWith("/"))
  return [
    ...unmerged.map((path) => ({ kind: "conflict", path }) as const),
    ...nested.map((path) => ({ kind: "repository", path }) as const),
    ...submodules.map(({ path, modified, untracked }) => {
      const kind = modified || untracked ? "submodule" : "movedSubmodule"
      return { kind, path } as const
    }),
  ]
}
