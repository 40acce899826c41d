/**
 * Finds out whether work has the changes of a stash.
 *
 * Git merges the stash into the work once more. Where the work has its changes, although it goes on
 * from there, nothing changes. Untracked files, after `git stash -u`, are compared as a whole.
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { listEntries, listTree } from "../../git/ask/ls-tree.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import type { Stash } from "../../git/ask/stashes.ts"
import {
  isolateMerges,
  type MergeIsolation,
  readAttributes,
} from "../../git/change/merge-isolation.ts"
import { mergeTree } from "../../git/change/merge-tree.ts"

/** The files of a stash. */
export type StashFiles = {
  readonly tracked: readonly GitPath[]
  readonly untracked: readonly GitPath[]
}

export async function listStashFiles(
  repo: string,
  { oid, base, untracked }: Stash,
): Promise<StashFiles> {
  const changes = await listChanges(repo, base, oid)
  const others = untracked ? await listTree(repo, untracked) : []
  return { tracked: changes.map(({ path }) => path), untracked: others.map(({ path }) => path) }
}

type Work = {
  /** A tree or a commit. */
  readonly work: Oid
  /** Commits that the work may have it from: its base, the target, other stashes. */
  readonly before: readonly [Oid, ...Oid[]]
}

/** @returns the stash's files whose changes the work has, and which no commit before it has. */
export async function listHeld(
  repo: string,
  stash: Stash,
  { work, before }: Work,
): Promise<GitPath[]> {
  const files = await listStashFiles(repo, stash)
  const { drivers } = await readCommitSettings(repo)
  await using isolation = await isolateMerges(repo, await readAttributes(repo, before[0]), drivers)
  let held = await heldBy(repo, { stash, files, isolation }, work)
  for (const commit of new Set(before)) {
    if (held.length === 0) return held
    const had = await heldBy(repo, { stash, files, isolation }, commit)
    held = held.filter((path) => !had.includes(path))
  }
  return held
}

type Asked = {
  readonly stash: Stash
  readonly files: StashFiles
  readonly isolation: MergeIsolation
}

async function heldBy(repo: string, asked: Asked, work: Oid): Promise<GitPath[]> {
  return [...(await trackedIn(repo, asked, work)), ...(await untrackedIn(repo, asked, work))]
}

async function trackedIn(
  repo: string,
  { stash: { base, oid }, files: { tracked }, isolation }: Asked,
  work: Oid,
): Promise<readonly GitPath[]> {
  if (tracked.length === 0) return []
  const [oursTree] = (await readTrees(repo, [work])) as [Oid]
  const merged = await mergeTree(repo, { base, oursTree, theirs: oid }, isolation)
  const changes = await listChanges(repo, oursTree, merged.tree)
  const conflicts = merged.kind === "conflict" ? merged.paths : []
  const lacking = new Set([...changes.map(({ path }) => path), ...conflicts])
  // A file that the work has renamed is a change elsewhere, so its old name proves nothing.
  if ([...lacking].some((path) => !tracked.includes(path))) return []
  return tracked.filter((path) => !lacking.has(path))
}

async function untrackedIn(
  repo: string,
  { stash, files: { untracked } }: Asked,
  work: Oid,
): Promise<readonly GitPath[]> {
  if (!stash.untracked || untracked.length === 0) return []
  const there = new Set(await listEntries(repo, work, untracked))
  const same = (await listEntries(repo, stash.untracked, untracked)).filter((one) => there.has(one))
  return same.map((entry) => entry.slice(entry.indexOf("\t") + 1) as GitPath)
}
