/**
 * Makes a worktree that a task has left as if it were new, at another commit, without a checkout.
 *
 * Whatever is neither in the commit nor in a folder that is kept goes: files, the index with what
 * it was told to overlook, and all that git keeps for one worktree alone (HEAD's log, refs, an
 * operation that was not finished, configuration). Nothing that the task wrote is asked what may
 * stay: the rules about what is ignored are put back first, then files are compared with the commit
 * by content. What is in the way of that is no reason to try harder: the worktree is removed then.
 *
 * Everything is saved by now. Safe to repeat: what was cut off begins again.
 */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath, Oid } from "../../core/ids.ts"
import { checkoutIndex } from "../../git/index/checkout-index.ts"
import { listIgnoredFolders } from "../../git/index/ls-ignored.ts"
import { listUntracked } from "../../git/index/ls-others.ts"
import { readIndexAnew } from "../../git/index/read-tree.ts"
import { readStatus } from "../../git/index/status.ts"
import { readCheckoutConfig } from "../../git/index/true-modes.ts"
import { refreshIndex } from "../../git/index/update-index.ts"
import { joinBytes } from "../../git/path.ts"
import { writeHead } from "../../git/refs/write-head.ts"
import { listTree, type TreeEntry } from "../../git/trees/ls-tree.ts"
import { deleteEntry } from "../../git/worktrees/trash.ts"
import { endFilling, fillWorktree, markUnfilled } from "../git-worktree/fill.ts"
import { isAround, isKept } from "./kept.ts"

export type Scrub = {
  readonly worktree: string
  /** Its own git directory. */
  readonly dir: string
  readonly to: Oid
  readonly keep: readonly string[]
}

/** Of the worktree's own git directory: where it is, whose it is, and what set-up made. */
const STAYS: ReadonlySet<string> = new Set([
  ...["HEAD", "commondir", "gitdir", "index"],
  ...["coppice.json", "coppice-setup.json", "coppice-checkout.json"],
])
const RULES = /(^|\/)\.git(ignore|attributes)$/
const SUBMODULE = "160000"

/**
 * @returns false when it is not as new: then it is to be removed.
 * @throws {AppError} when git fails; likewise.
 */
export async function scrub({ worktree, dir, to, keep }: Scrub): Promise<boolean> {
  await endFilling(dir)
  const names = await readdir(dir)
  if (names.includes("modules")) return false // submodules' repositories
  const left = names.filter((name) => !STAYS.has(name))
  for (const name of left) await rm(join(dir, name), { recursive: true, force: true })
  if (writeHead(dir, to) === "locked") return false
  await readIndexAnew(worktree, to)
  const tree = await listTree(worktree, to)
  if (tree.some(({ mode }) => mode === SUBMODULE)) return false
  await checkoutIndex(worktree, rulesOf(tree))
  await removeUntracked(worktree, keep)
  markUnfilled(dir)
  await refreshIndex(worktree)
  await fillWorktree(worktree, to, { checkout: await readCheckoutConfig(worktree) })
  return await isAsNew(worktree, keep)
}

const rulesOf = (tree: readonly TreeEntry[]): GitPath[] =>
  tree.flatMap(({ path }) => (RULES.test(path) ? [path] : []))

/** First what can never stay, as rules may be among it; then what no rule ignores. */
async function removeUntracked(worktree: string, keep: readonly string[]): Promise<void> {
  const untracked = await listLeft(worktree, keep)
  const candidates = untracked.filter((path) => isKept(path, keep))
  await remove(worktree, untracked, (path) => isKept(path, keep))
  const ignored = candidates.length === 0 ? [] : await listIgnoredFolders(worktree)
  await remove(worktree, candidates, (path) => ignored.some((folder) => path.startsWith(folder)))
}

async function remove(
  worktree: string,
  paths: readonly GitPath[],
  isSpared: (path: GitPath) => boolean,
): Promise<void> {
  for (const path of paths) if (!isSpared(path)) await deleteEntry(entryOf(worktree, path))
}

/** A folder's path without the `/`, which would follow a link. */
const entryOf = (worktree: string, path: GitPath): Buffer =>
  joinBytes(worktree, path.replace(/\/$/, "") as GitPath)

/** What git does not track; of a folder around one that is kept, what is in it. */
async function listLeft(worktree: string, keep: readonly string[]): Promise<GitPath[]> {
  const left: GitPath[] = []
  const look = async (path: GitPath): Promise<void> => {
    if (!isAround(path, keep)) return void left.push(path)
    const options = { encoding: "latin1", withFileTypes: true } as const
    for (const entry of await readdir(entryOf(worktree, path), options))
      await look(`${path}${entry.name}${entry.isDirectory() ? "/" : ""}` as GitPath)
  }
  for (const path of await listUntracked(worktree)) await look(path)
  return left
}

async function isAsNew(worktree: string, keep: readonly string[]): Promise<boolean> {
  const { staged, unstaged, untracked, unmerged } = await readStatus(worktree)
  if ([staged, unstaged, untracked, unmerged].some((paths) => paths.length > 0)) return false
  return (await listLeft(worktree, keep)).every((path) => isKept(path, keep))
}
