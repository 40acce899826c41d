/** Detects that a target moved past the gate, and describes that to a person. Pure. */
import { branchOf, type Oid, type RefName } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"

/** One entry of a target's reflog. */
export type RefStep = {
  readonly commit: Oid
  readonly reason: string
  /** Name and address that the reflog records. */
  readonly by: string
  readonly atMs: number
  /** A landing moved it there. */
  readonly isOurs: boolean
}

export type SeenMove = {
  readonly from: Oid
  /** Undefined: the branch is gone. */
  readonly to: Oid | undefined
  /** The target became a symbolic ref to this one. */
  readonly alias: RefName | undefined
  /** The name that it has now, if it was renamed. */
  readonly renamed: RefName | undefined
  /** Since `from`, newest first; undefined: the reflog lacks `from`, or does not exist. */
  readonly steps: readonly RefStep[] | undefined
  /** The target has a reflog, or had one. */
  readonly isLogged: boolean
  readonly isFastForward: boolean
  /** The task whose branch holds `to` among its own commits. */
  readonly task: number | undefined
}

/** Stored as JSON. */
export type TargetMove = {
  readonly from: Oid
  readonly to: Oid | null
  readonly atMs: number
  readonly by: string | null
  readonly task: number | null
  /** Continues "It moved". */
  readonly how: string
  /** Commands that take it back. */
  readonly undo: string
  /** The target was renamed: no commit passed the gate, and its landings say what to do. */
  readonly isRename: boolean
}

/** Reflog messages of a person's work on the target itself. */
const MADE_THERE = /^(commit|merge|pull|fetch|cherry-pick|revert|am|rebase)\b/

/** Whether landings alone moved it. Then nothing else about the move counts. */
export const isByLandings = ({ to, steps }: Pick<SeenMove, "to" | "steps">): boolean =>
  to !== undefined && steps?.[0]?.commit === to && steps.every(({ isOurs }) => isOurs)

/**
 * A landing is a normal move, and so is a person's commit, pull or merge that moves forward and is in the
 * reflog. @returns how it moved otherwise.
 */
export function howMoved(move: SeenMove): string | undefined {
  const { from, to, alias, renamed, steps, isLogged, isFastForward, task } = move
  if (alias) return `by being made a symbolic ref to ${alias}`
  if (to === undefined)
    return renamed ? `by being renamed to ${branchOf(renamed)}` : "by being deleted"
  if (isByLandings(move)) return undefined
  if (!isFastForward) return `to a commit that does not contain ${from.slice(0, 12)}`
  if (isLogged && steps?.[0]?.commit !== to) return "without an entry in its reflog"
  const others = (steps ?? []).filter(({ isOurs }) => !isOurs)
  if (others.some(({ reason }) => reason === ""))
    return "without a reason in its reflog, as by `git update-ref`"
  const isMadeThere = others.every(({ reason }) => MADE_THERE.test(reason))
  if (task !== undefined && !isMadeThere) return `to commits of task ${task}, which did not land`
  return undefined
}

type Place = {
  readonly repo: string
  readonly target: RefName
  /** A worktree that has it checked out, with updated files. */
  readonly checkout: string | undefined
}

export function undoCommands({ from, to, alias, renamed }: SeenMove, place: Place): string {
  const git = `git -C ${shellWord(place.repo)}`
  const ref = shellWord(place.target)
  if (alias) return `${git} symbolic-ref --delete ${ref}; ${git} update-ref ${ref} ${from}`
  if (renamed)
    return `${git} branch -m ${shellWord(branchOf(renamed))} ${shellWord(branchOf(place.target))}`
  if (to === undefined) return `${git} update-ref ${ref} ${from}`
  return place.checkout === undefined
    ? `${git} update-ref ${ref} ${from} ${to}`
    : `git -C ${shellWord(place.checkout)} reset --keep ${from}`
}

/** One sentence, and a command. */
export function describeMove(
  { repo, target }: Pick<Place, "repo" | "target">,
  { from, to, atMs, by, how, undo }: TargetMove,
): string {
  const where = to === null ? "" : ` to ${to.slice(0, 12)}`
  const who = by === null ? "" : ` by ${by}`
  const when = new Date(atMs).toISOString()
  return `${branchOf(target)} of ${repo} moved past the gate at ${when} from ${from.slice(0, 12)}${where}${who}: ${how}. To take it back: \`${undo}\``
}
