/** What both sides have done to some files, as one line a commit. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { listSides, listSubjects, subjectLine } from "../../git/history/log.ts"
import type { BothTouches, Touches } from "./touches.ts"

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

/** The same of what is known already. @returns undefined where git has to tell. */
export function tellSubjects(
  { files, ours, theirs }: BothTouches,
  { paths }: Pick<ConflictSides, "paths">,
): BothSubjects | undefined {
  const about = paths.slice(0, PATHS_MAX)
  if (!about.every((path) => files.has(path))) return undefined
  const sides = { ours: linesOf(ours, about), theirs: linesOf(theirs, about) }
  return sides.ours && sides.theirs ? { ours: sides.ours, theirs: sides.theirs } : undefined
}

function linesOf(touches: Touches, paths: readonly GitPath[]): string[] | undefined {
  const touching = touches.filter((one) => paths.some((path) => one.paths.has(path)))
  const lines = touching.slice(0, COMMITS_MAX).map(({ commit }) => subjectLine(commit))
  return lines.every((line) => line !== undefined) ? lines : undefined
}
