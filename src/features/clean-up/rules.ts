/**
 * Decides whether a worktree that may be unused goes or stays. Pure.
 *
 * It goes when its task is over and all its work is in the target or in a rescue. A doubtful one stays,
 * with the reason. One that the configuration keeps stays until it is old.
 */

export type WorktreeFacts = {
  readonly use:
    | "live" // a task that is not over has it
    | "finished" // a complete or cancelled task has it
    | "orphan" // ours, and no task has it
  /** Why it must stay, even if it is empty. */
  readonly blocker: string | undefined
  /** The configuration keeps it; undefined: it does not. */
  readonly wish?: Wish | undefined
  /** Files that are in no commit, ignored ones aside. */
  readonly uncommitted: number
  /** All its commits are in the target or a rescue. */
  readonly isContained: boolean
  /** Time since its last change. */
  readonly ageMs: number
}

export type Wish = {
  readonly why: string
  /** The task was cancelled. Its commits may live on in a rescue alone. */
  readonly mayRescue: boolean
}

export type CleanupRules = {
  readonly ageMsMax: number
  readonly pruneUnmerged: boolean
}

export type CleanupVerdict = {
  readonly action: "remove" | "keep"
  /** One sentence, without its full stop. */
  readonly why: string
  /** Nothing would be lost, so no person needs to look at it. */
  readonly isSafe: boolean
}

export function decideCleanup(facts: WorktreeFacts, rules: CleanupRules): CleanupVerdict {
  const { use, blocker, uncommitted, isContained } = facts
  if (use === "live") return keep("its task is not over")
  if (blocker !== undefined) return keep(blocker)
  if (facts.wish) return decideWished({ ...facts, wish: facts.wish }, rules)
  if (uncommitted > 0)
    return keep(`${uncommitted} ${uncommitted === 1 ? "file is" : "files are"} in no commit`)
  const isOld = facts.ageMs > rules.ageMsMax
  if (!isContained) return decideUnmerged(isOld, rules)
  if (use === "orphan") return remove("no task has it, and the target contains it")
  if (isOld) return remove("older than max_worktree_age, and the target contains it")
  const why = "younger than max_worktree_age, and the target contains it"
  return { action: "keep", why, isSafe: true }
}

/** Removing it rescues what the target does not have. */
function decideWished(
  { wish, isContained, ageMs }: WorktreeFacts & { readonly wish: Wish },
  rules: CleanupRules,
): CleanupVerdict {
  if (ageMs <= rules.ageMsMax) return { action: "keep", why: wish.why, isSafe: true }
  if (!isContained && !wish.mayRescue) return decideUnmerged(true, rules)
  return remove("older than max_worktree_age, and kept until then")
}

function decideUnmerged(isOld: boolean, { pruneUnmerged }: CleanupRules): CleanupVerdict {
  const why = "it has commits that the target does not have"
  if (!isOld || !pruneUnmerged) return keep(why)
  const text = `${why}, is older than max_worktree_age, and prune_unmerged_branches is on`
  return { action: "remove", why: text, isSafe: false }
}

const keep = (why: string): CleanupVerdict => ({ action: "keep", why, isSafe: false })
const remove = (why: string): CleanupVerdict => ({ action: "remove", why, isSafe: true })
