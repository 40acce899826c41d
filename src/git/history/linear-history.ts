/**
 * What is asked of a history without merges, answered from its commits: to start a git that walks
 * them takes longer than the walk. Where a merge commit is met, or the way is long, the caller asks
 * git as for anything else.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { type Commit, findCommitAhead, isRemembered } from "../objects/commits.ts"
import { commonDirOf, findGitDir } from "../worktrees/git-dir.ts"

/** One after the other; in that time a git of its own would have answered. */
const QUESTIONS_MAX = 4
/** Of commits that are remembered. */
const STEPS_MAX = 1_000

export type Meeting = { readonly mergeBase: Commit; readonly a: Commit; readonly b: Commit }

/** Where two lines of commits meet, which then is their only merge base. */
export async function findMeeting(cwd: string, a: Oid, b: Oid): Promise<Meeting | undefined> {
  const walks = [new Walk(cwd, a), new Walk(cwd, b)] as const
  for (let asked = 0, steps = 0; asked < QUESTIONS_MAX && steps < STEPS_MAX; steps++) {
    const open = walks.filter(({ next }) => next !== undefined)
    if (open.length === 0) return undefined
    if (!open.every((walk) => walk.isKnown)) asked++
    const commits = await Promise.all(open.map((walk) => walk.step()))
    for (const commit of commits) {
      if (!commit) return undefined
      const [ofA, ofB] = walks.map(({ seen }) => seen)
      if (!ofA?.has(commit.oid) || !ofB?.has(commit.oid)) continue
      const [first, second] = [ofA.get(a), ofB.get(b)]
      return first && second && { mergeBase: commit, a: first, b: second }
    }
  }
  return undefined
}

/** The commits from `from`, which comes first, to `to`: undefined unless one line leads there. */
export async function findLine(
  cwd: string,
  from: Oid,
  to: Oid,
): Promise<readonly Commit[] | undefined> {
  const walk = new Walk(cwd, to)
  for (let asked = 0, steps = 0; asked < QUESTIONS_MAX && steps < STEPS_MAX; steps++) {
    if (!walk.isKnown) asked++
    const commit = await walk.step()
    if (commit?.oid === from) return [...walk.seen.values()].reverse()
    if (!commit || !walk.next) return undefined
  }
  return undefined
}

/** From a commit to its only parent, and on; it ends at a merge commit and at the first commit. */
class Walk {
  readonly #cwd: string
  readonly seen = new Map<Oid, Commit>()
  next: Oid | undefined

  constructor(cwd: string, from: Oid) {
    this.#cwd = cwd
    this.next = isShallow(cwd) ? undefined : from
  }

  get isKnown(): boolean {
    return this.next === undefined || isRemembered(this.next)
  }

  async step(): Promise<Commit | undefined> {
    const commit = this.next && (await findCommitAhead(this.#cwd, this.next))
    if (!commit) return undefined
    this.seen.set(commit.oid, commit)
    this.next = commit.parents.length === 1 ? commit.parents[0] : undefined
    return commit
  }
}

/** There git takes some commits for first ones, which have parents. */
function isShallow(cwd: string): boolean {
  const gitDir = findGitDir(cwd)
  return gitDir === undefined || existsSync(join(commonDirOf(gitDir), "shallow"))
}
