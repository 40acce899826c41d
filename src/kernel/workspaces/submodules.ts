/**
 * Compares the submodules that are filled in a worktree with the commits that a branch records.
 *
 * Git moves a branch without its submodules. After a rebase onto a target with a newer one, the
 * old one differs from the recorded commit, but it is no work.
 */
import type { GitPath, Oid } from "../../base/ids.ts"
import { readGitlinks, readGitlinksAt } from "../git/ask/gitlinks.ts"
import { readMergeBase } from "../git/ask/merge-base.ts"
import { readNewestTip, type TargetOf } from "../git/ask/newest-tip.ts"
import { readReflog } from "../git/ask/reflog.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { readStatus, type Status } from "../git/ask/status.ts"
import { listPathsBehindLinks } from "../git/start/behind-links.ts"
import { findGitDir } from "../git/start/git-dir.ts"
import { joinBytes } from "../git/start/path.ts"

/** As many positions of the branch as a long rebase leaves. */
const REFLOG_MAX = 200

type Filled = {
  readonly path: GitPath
  /** The commit in the worktree's index. */
  readonly recorded: Oid
  /** The submodule's HEAD. */
  readonly at: Oid | undefined
}

async function listFilled(worktree: string): Promise<Filled[]> {
  const links = findGitDir(worktree) === undefined ? [] : await readGitlinks(worktree)
  const paths = links.map(({ path }) => path)
  const behind = new Set(listPathsBehindLinks(worktree, paths))
  const filled: Filled[] = []
  for (const { path, oid } of links) {
    const folder = joinBytes(worktree, path).toString("utf8")
    if (behind.has(path) || findGitDir(folder) === undefined) continue
    filled.push({ path, recorded: oid, at: await readCommit(folder, "HEAD") })
  }
  return filled
}

/** Filled submodules that would not be at what `commit` records, once the worktree is there. */
export async function listMisplaced(worktree: string, commit: Oid): Promise<GitPath[]> {
  const filled = await listFilled(worktree)
  if (filled.length === 0) return []
  const paths = filled.map(({ path }) => path)
  const wanted = await readGitlinksAt(worktree, commit, paths)
  return filled
    .filter(({ path, recorded, at }) => at !== recorded || at !== wanted.get(path))
    .map(({ path }) => path)
}

/**
 * Submodules that are as they were before the branch got another commit of them from the target.
 *
 * The work itself records what the target records, and the submodule is where the branch stood
 * before.
 */
export async function listLeftBehind(
  worktree: string,
  repo: TargetOf,
  { submodules }: Pick<Status, "submodules">,
): Promise<GitPath[]> {
  const changed = new Set(listChanged(submodules))
  const filled = (await listFilled(worktree)).filter(({ path }) => !changed.has(path))
  const head = filled.length === 0 ? undefined : await readCommit(worktree, "HEAD")
  if (!head) return []
  const tip = await readNewestTip(repo)
  const base = tip && (await readMergeBase(worktree, head, tip))
  if (!base) return []
  const paths = filled.map(({ path }) => path)
  const [now, theirs] = await Promise.all(
    [head, base].map((commit) => readGitlinksAt(worktree, commit, paths)),
  )
  const open = filled.filter(({ path, at }) => {
    const recorded = now?.get(path)
    return recorded !== undefined && recorded === theirs?.get(path) && recorded !== at
  })
  return await listEarlier(worktree, open)
}

async function listEarlier(worktree: string, open: readonly Filled[]): Promise<GitPath[]> {
  if (open.length === 0) return []
  const entries = await readReflog(worktree, "HEAD", REFLOG_MAX)
  const found = new Set<GitPath>()
  for (const commit of new Set(entries.map(({ oid }) => oid))) {
    const left = open.filter(({ path }) => !found.has(path))
    if (left.length === 0) break
    const paths = left.map(({ path }) => path)
    const before = await readGitlinksAt(worktree, commit, paths)
    for (const { path, at } of left) if (at && before.get(path) === at) found.add(path)
  }
  return [...found]
}

/** Submodules that hold work which no commit of the branch has: a set-up would take it back. */
export async function listWorkedOn(worktree: string, repo: TargetOf): Promise<GitPath[]> {
  const filled = await listFilled(worktree)
  if (filled.length === 0) return []
  const status = await readStatus(worktree)
  const left = new Set(await listLeftBehind(worktree, repo, status))
  const moved = filled.filter(({ path, recorded, at }) => at !== recorded && !left.has(path))
  return [...new Set([...moved.map(({ path }) => path), ...listChanged(status.submodules)])]
}

const listChanged = (submodules: Status["submodules"]): GitPath[] =>
  submodules.filter(({ modified, untracked }) => modified || untracked).map(({ path }) => path)
