/** What both sides have done to some files, as one line a commit. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { listSides, listSubjects } from "../../git/history/log.ts"

/** More files than that are not resolved one by one. */
export const PATHS_MAX = 50
const COMMITS_MAX = 10

/** What is in conflict, and between what. */
export type ConflictSides = {
  readonly base: Oid
  readonly head: Oid
  readonly target: Oid
  /** Of head and target. */
  readonly mergeBases: readonly Oid[]
  readonly paths: readonly GitPath[]
}

export type BothSubjects = { readonly ours: string[]; readonly theirs: string[] }

/** Of `head`: ours; of `target`: theirs. By one git where both are counted from where they parted. */
export async function listBothSubjects(
  repo: string,
  { base, head, target, mergeBases, ...rest }: ConflictSides,
): Promise<BothSubjects> {
  const about = { paths: rest.paths.slice(0, PATHS_MAX), limit: COMMITS_MAX }
  const isFork = mergeBases.length === 1 && mergeBases[0] === base
  const both = isFork ? await listSides(repo, { left: head, right: target, ...about }) : undefined
  if (both) return { ours: both.left, theirs: both.right }
  const [ours, theirs] = await Promise.all([
    listSubjects(repo, { from: base, to: head, ...about }),
    listSubjects(repo, { from: base, to: target, ...about }),
  ])
  return { ours, theirs }
}
