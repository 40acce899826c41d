/**
 * Keeps the snapshot reachable, and commits of an earlier one that it no longer contains.
 *
 * For its gate a landing moves the task's branch to the candidate, so the next snapshot may be a
 * replay of the last one. Then we keep the agent's original commits. If the agent has gone on from
 * the candidate, its earlier commits are rescued.
 */
import type { Oid } from "../../core/ids.ts"
import { recordRescued } from "../../store/rescues.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"
import { findKept, keep } from "../../workspaces/keep-refs.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import { ownerOf, type Refs, type Rows, type Step } from "../action.ts"

/** @throws {RefBusyError} */
export async function keepHead(
  step: Step<Rows & Refs>,
  { path }: Pick<TaskRepo, "path">,
  head: Oid,
): Promise<void> {
  const owner = ownerOf(step)
  const kept = await findKept(path, owner, "head")
  const isWritten = step.landing.undoes === null // a revert can be made again
  if (isWritten && kept && kept !== head) {
    if ((await findKept(path, owner, "candidate")) === head) return
    const reason = `the snapshot of landing ${step.landing.id} took its place`
    recordRescued(step.context, step.task.id, [
      await rescueCommit(path, kept, { owner, contained: [head], reason }),
    ])
  }
  await keep(path, owner, { kept: "head", commit: head })
}
