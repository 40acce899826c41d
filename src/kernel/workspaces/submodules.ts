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
import { joinBytes } from "../git/start/git-path.ts"

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

/** Submodules that are empty in `worktree`, and filled in `like`. */
export async function listEmptied(worktree: string, like: string): Promise<GitPath[]> {
  const wanted = new Set((await listFilled(like)).map(({ path }) => path))
  if (wanted.size === 0) return []
  const filled = new Set((await listFilled(worktree)).map(({ path }) => path))
  const links = await readGitlinks(worktree)
  return links.map(({ path }) => path).filter((path) => wanted.has(path) && !filled.has(path))
}

/**
 * Submodules that are as they were before the branch got another commit of them from the target.
 *
 * The work itself records what the target records, and the submodule is where the target stood
 * under the branch before.
 */
export async function listLeftBehind(
  ...asked: Parameters<typeof findLeftBehind>
): Promise<readonly GitPath[]> {
  return (await findLeftBehind(...asked)).behind
}

type LeftBehind = {
  readonly behind: readonly GitPath[]
  /** As far back, but they have been at the recorded commit: someone moved them, by intent or not. */
  readonly unclear: readonly GitPath[]
}

const NONE: LeftBehind = { behind: [], unclear: [] }

export async function findLeftBehind(
  worktree: string,
  repo: TargetOf,
  { submodules }: Pick<Status, "submodules">,
): Promise<LeftBehind> {
  const changed = new Set(listChanged(submodules))
  const filled = (await listFilled(worktree)).filter(({ path }) => !changed.has(path))
  const head = filled.length === 0 ? undefined : await readCommit(worktree, "HEAD")
  if (!head) return NONE
  const tip = await readNewestTip(repo)
  const base = tip && (await readMergeBase(worktree, head, tip))
  if (!base) return NONE
  const paths = filled.map(({ path }) => path)
  const [now, theirs] = await Promise.all(
    [head, base].map((commit) => readGitlinksAt(worktree, commit, paths)),
  )
  const open = filled.filter(({ path, at }) => {
    const recorded = now?.get(path)
    return recorded !== undefined && recorded === theirs?.get(path) && recorded !== at
  })
  const behind: GitPath[] = []
  const unclear: GitPath[] = []
  for (const path of await listEarlier(worktree, tip, open))
    if (await hasBeenAt(worktree, path, now?.get(path))) unclear.push(path)
    else behind.push(path)
  return { behind, unclear }
}

/** A clone begins at the remote's branch, before anything is checked out. */
async function hasBeenAt(worktree: string, path: GitPath, commit?: Oid): Promise<boolean> {
  const entries = await readReflog(joinBytes(worktree, path).toString("utf8"), "HEAD", REFLOG_MAX)
  return entries.some(({ oid, reason }) => oid === commit && !reason.startsWith("clone: "))
}

async function listEarlier(
  worktree: string,
  tip: Oid,
  open: readonly Filled[],
): Promise<GitPath[]> {
  if (open.length === 0) return []
  const entries = await readReflog(worktree, "HEAD", REFLOG_MAX)
  const found = new Set<GitPath>()
  for (const commit of new Set(entries.map(({ oid }) => oid))) {
    const left = open.filter(({ path }) => !found.has(path))
    if (left.length === 0) break
    const paths = left.map(({ path }) => path)
    const before = await readGitlinksAt(worktree, commit, paths)
    const same = left.filter(({ path, at }) => at && before.get(path) === at)
    const base = same.length === 0 ? undefined : await readMergeBase(worktree, commit, tip)
    if (!base) continue
    const theirs = await readGitlinksAt(worktree, base, paths) // else it is a commit of the agent's
    for (const { path, at } of same) if (theirs.get(path) === at) found.add(path)
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
