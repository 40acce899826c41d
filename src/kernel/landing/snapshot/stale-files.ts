/**
 * Finds stale files: commits that drop changes of others, although the branch contains them.
 *
 * A branch on the newest target can have the files of an older one, after `git reset --soft`, after
 * a merge that was cut off, or when a tool wrote its copies back. Then nothing conflicts, and the
 * target would lose what it had gained. We merge each gain into the work once more. If the work has
 * it, git changes nothing. Where the work is as it was before the gain, git brings it back: that is
 * what the work drops. A place that the work changed in its own way conflicts, and is its decision.
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listChanges, listFileDiffs } from "../../git/ask/diff-tree.ts"
import { listSubjects } from "../../git/ask/log.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import type { MergeConflict } from "../../git/change/merge-conflict.ts"
import { lacksTheirs } from "../../git/change/merge-file.ts"
import {
  isolateMerges,
  type MergeIsolation,
  readAttributes,
} from "../../git/change/merge-isolation.ts"
import { mergeTree } from "../../git/change/merge-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { type Rows, type Step, taskRepo } from "../action.ts"
import type { Dropped, StaleFacts } from "../prompts/stale-files.ts"
import { type Gain, listGains } from "./gained-commits.ts"
import { isMovedElsewhere } from "./moved-lines.ts"

/** Commits that are named. */
const COMMITS_MAX = 10

/** @returns undefined if `head` drops nothing, or is not the work of an agent. */
export async function findStale(
  step: Step<Rows>,
  { name }: { readonly name: string },
  head: Oid,
): Promise<StaleFacts | undefined> {
  const repo = taskRepo(step, { name })
  const { path, base } = repo
  if (step.task.agent === null || step.landing.undoes !== null || !base) return undefined
  const gains = await listGains(step, { ...repo, base }, head)
  if (gains.length === 0) return undefined
  const { drivers } = await readCommitSettings(path)
  await using isolation = await isolateMerges(path, await readAttributes(path, head), drivers)
  const dropped: Dropped[] = []
  for (const gain of gains) {
    const told = new Set(dropped.flatMap(({ paths, byHand }) => [...paths, ...byHand]))
    const found = await findDropped(path, gain, head, isolation)
    if (found && [...found.paths, ...found.byHand].some((one) => !told.has(one)))
      dropped.push(found)
  }
  return dropped.length === 0 ? undefined : { dropped }
}

async function findDropped(
  path: string,
  gain: Gain,
  head: Oid,
  isolation: MergeIsolation,
): Promise<Dropped | undefined> {
  const byMerge = gain.merge && (await lackedOf(path, gain, gain.merge, isolation))
  if (gain.merge && !byMerge) return undefined
  const found = await lackedOf(path, gain, head, isolation)
  if (!found) return undefined
  const isAlsoByMerge = (one: GitPath) => !byMerge || byMerge.all.includes(one)
  const paths = found.paths.filter(isAlsoByMerge)
  const byHand = found.byHand.filter(isAlsoByMerge)
  if (paths.length + byHand.length === 0) return undefined
  const { from, to, merge } = gain
  const named = [...paths, ...byHand]
  return {
    merge,
    from,
    to,
    paths: paths.map(displayPath),
    byHand: byHand.map(displayPath),
    tree: found.tree,
    not: found.changed.filter((one) => !paths.includes(one)).map(displayPath),
    commits: await listSubjects(path, { from, to, paths: named, limit: COMMITS_MAX }),
  }
}

type Lacked = {
  /** The tree of `commit` with these changes. */
  readonly tree: Oid
  readonly changed: readonly GitPath[]
  readonly paths: readonly GitPath[]
  readonly byHand: readonly GitPath[]
  /** Both of these. */
  readonly all: readonly GitPath[]
}

/** The changes of the gain that `commit` lacks; undefined if there are none. */
export async function lackedOf(
  path: string,
  { from, to }: Gain,
  commit: Oid,
  isolation: MergeIsolation,
): Promise<Lacked | undefined> {
  const [oursTree] = (await readTrees(path, [commit])) as [Oid]
  const merged = await mergeTree(path, { base: from, oursTree, theirs: to }, isolation)
  if (merged.tree === oursTree) return undefined
  const conflicts = merged.kind === "conflict" ? await merged.readConflicts() : []
  const changes = await listChanges(path, commit, merged.tree)
  const changed = changes.map((one) => one.path)
  const back = changed.filter((one) => conflicts.every((conflict) => conflict.path !== one))
  const added = changes.filter(({ status }) => status === "A").map((one) => one.path)
  const moved = added.length === 0 ? [] : await listMoved(path, { to, commit, back })
  const left = back.filter((one) => !moved.includes(one))
  const trees = { to, commit, whole: merged.tree }
  const isElsewhere =
    merged.kind === "clean" && left.length > 0 && (await isMovedElsewhere(path, trees))
  const paths = isElsewhere ? [] : left
  const byHand = await listMixed(path, conflicts)
  return { tree: merged.tree, changed, paths, byHand, all: [...paths, ...byHand] }
}

/** A file that the work renamed is still there, unless it only has its old name back. */
async function listMoved(
  path: string,
  {
    to,
    commit,
    back,
  }: { readonly to: Oid; readonly commit: Oid; readonly back: readonly GitPath[] },
): Promise<GitPath[]> {
  const diffs = await listFileDiffs(path, to, commit)
  return diffs.flatMap(({ path: now, oldPath }) =>
    oldPath !== undefined && !back.includes(now) ? [oldPath] : [],
  )
}

/** Files in conflict that lack other parts of the gain. */
async function listMixed(path: string, conflicts: readonly MergeConflict[]): Promise<GitPath[]> {
  const mixed: GitPath[] = []
  for (const { path: file, kind, stages } of conflicts)
    if (kind === "content" && (await lacksTheirs(path, stages))) mixed.push(file)
  return mixed
}
