/** Finds the commit from which a task's work is counted. */
import type { Oid } from "../../../base/ids.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"

/**
 * The commit after which everything on `head` is the task's own work.
 *
 * The recorded base if `head` still descends from it, else the merge base. A merge base newer than
 * the recorded base wins, because then the agent has integrated the target itself. The merge base
 * alone is not enough: a target that moved back would make the dropped commits the task's own.
 * After an undo, a merge base counts only if it contains the revert. Otherwise the undone work could
 * never land again.
 *
 * @param mergeBase of head and target.
 * @returns undefined if the two histories share nothing.
 */
export async function findBase(
  repo: string,
  { base: recorded, takenBack }: Pick<TaskRepo, "base" | "takenBack">,
  { head, mergeBase }: { head: Oid; mergeBase: Oid | undefined },
): Promise<Oid | undefined> {
  if (!recorded || recorded === mergeBase) return mergeBase
  if (!(await isAncestor(repo, recorded, head))) return mergeBase
  if (!mergeBase) return recorded
  if (takenBack && !(await isAncestor(repo, takenBack, mergeBase))) return recorded
  return (await isAncestor(repo, recorded, mergeBase)) ? mergeBase : recorded
}
