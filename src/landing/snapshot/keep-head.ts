/**
 * Keeps the snapshot reachable, and what an earlier one held that is not in it any more.
 *
 * For its gate a landing brings the task's branch to the candidate, so the next snapshot may be
 * nothing but a replay of the last: then the commits that the agent made stay the ones that are
 * kept. Where the agent has gone on from there, what it made before is rescued.
 */
import type { Oid } from "../../core/ids.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"
import { findKept, keep } from "../../workspaces/keep-refs.ts"
import { rescueCommit } from "../../workspaces/rescue.ts"
import { type LandingStep, ownerOf } from "../action.ts"
import { tellRescued } from "../tell-rescued.ts"

/** @throws {RefBusyError} */
export async function keepHead(
  step: LandingStep,
  { path }: Pick<TaskRepo, "path">,
  head: Oid,
): Promise<void> {
  const owner = ownerOf(step)
  const kept = await findKept(path, owner, "head")
  const isWritten = step.landing.undoes === null // else it was made here, and can be made again
  if (isWritten && kept && kept !== head) {
    if ((await findKept(path, owner, "candidate")) === head) return
    const reason = `the snapshot of landing ${step.landing.id} took its place`
    tellRescued(step, [await rescueCommit(path, kept, { owner, contained: [head], reason })])
  }
  await keep(path, owner, { kept: "head", commit: head })
}
