/** Finds the commit from which a task's work is counted. */
import type { Oid } from "../../core/ids.ts"
import { isAncestor } from "../../git/history/merge-base.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"

/**
 * The commit after which everything on `head` is the task's own work.
 *
 * The recorded base where `head` still descends from it, else the merge base. A merge base that
 * is newer than the recorded base wins: then the agent has integrated the target itself. A target
 * that was moved back does not make the dropped commits the task's own, which is why the merge
 * base alone is not enough. What was taken back is in the target's history, and yet has to be done
 * again: a merge base counts from the reversal on.
 *
 * @param mergeBase of head and target.
 * @returns undefined when the two histories share nothing.
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
