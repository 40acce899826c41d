/**
 * Decides what becomes of a worktree that may be in nobody's use any more. Pure.
 *
 * Removed is only what provably holds nothing that is nowhere else: no file that is in no commit,
 * and no commit whose change the target does not have. What is in doubt stays, and is told.
 */

/** How the target has what a commit brings. */
export type Containment =
  | "ancestor" // the commit itself is in its history
  | "patches" // every commit's change is, under another id
  | "squash" // merging it would change nothing
  | "none"

export type WorktreeFacts = {
  readonly use:
    | "live" // its task is not over
    | "finished" // its task is complete or cancelled
    | "orphan" // ours, and no task has it
    | "half_made" // a set-up that was killed: nothing was ever in it
  /** Why it must not be touched, whatever it holds. */
  readonly hindrance: string | undefined
  /** Files that are in no commit, ignored ones aside. */
  readonly uncommitted: number
  readonly containment: Containment
  /** Since anything last happened to it. */
  readonly ageMs: number
}

export type CleanupRules = {
  readonly ageMsMax: number
  readonly pruneUnmerged: boolean
}

export type CleanupVerdict = {
  readonly action: "remove" | "keep"
  /** One sentence, without its full stop. */
  readonly why: string
  /** Nothing would be lost: it may go early where the disk is short. */
  readonly isSafe: boolean
}

export function decideCleanup(facts: WorktreeFacts, rules: CleanupRules): CleanupVerdict {
  const { use, hindrance, uncommitted, containment } = facts
  if (use === "live") return keep("its task is not over")
  if (hindrance !== undefined) return keep(hindrance)
  if (use === "half_made") return remove("a set-up that was cut short left it empty")
  if (uncommitted > 0)
    return keep(`${uncommitted} ${uncommitted === 1 ? "file is" : "files are"} in no commit`)
  const isOld = facts.ageMs > rules.ageMsMax
  if (containment === "none") return decideUnmerged(isOld, rules)
  const held = HELD[containment]
  if (use === "orphan") return remove(`no task has it, and ${held}`)
  if (isOld) return remove(`older than max_worktree_age, and ${held}`)
  return { action: "keep", why: `younger than max_worktree_age, and ${held}`, isSafe: true }
}

function decideUnmerged(isOld: boolean, { pruneUnmerged }: CleanupRules): CleanupVerdict {
  const why = "it has commits that the target does not have"
  if (!isOld || !pruneUnmerged) return keep(why)
  const text = `${why}, is older than max_worktree_age, and prune_unmerged_branches is on`
  return { action: "remove", why: text, isSafe: false }
}

const HELD: Readonly<Record<Exclude<Containment, "none">, string>> = {
  ancestor: "the target contains it",
  patches: "the target has each of its changes",
  squash: "merging it would change nothing",
}

const keep = (why: string): CleanupVerdict => ({ action: "keep", why, isSafe: false })
const remove = (why: string): CleanupVerdict => ({ action: "remove", why, isSafe: true })
