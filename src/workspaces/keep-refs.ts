/** Keep refs hold a landing's commits until it is recorded, so that no gc can take them. */
import type { Oid, RefName, TaskId } from "../core/ids.ts"
import { readCommit } from "../git/rev-parse.ts"
import { deleteRefs, updateRef } from "../git/update-ref.ts"
import { RefBusyError } from "./errors.ts"

export type Kept = "head" | "candidate"

const keepRef = (task: TaskId, kept: Kept) => `refs/coppice/${task}/${kept}` as RefName

/**
 * Points the task's keep ref at `commit`, wherever it was before: it is ours alone.
 *
 * @throws {RefBusyError} when it does not stand there now.
 */
export async function keep(
  repo: string,
  task: TaskId,
  { kept, commit }: { kept: Kept; commit: Oid },
): Promise<void> {
  const ref = keepRef(task, kept)
  const created = await updateRef(repo, { ref, from: null, to: commit, reason: `keep ${kept}` })
  if (created.kind === "moved") return
  if (created.kind === "locked") throw new RefBusyError(ref)
  if (created.actual === commit) return
  const from = created.actual ?? null
  const moved = await updateRef(repo, { ref, from, to: commit, reason: `keep ${kept}` })
  if (moved.kind !== "moved") throw new RefBusyError(ref)
}

export function findKept(repo: string, task: TaskId, kept: Kept): Promise<Oid | undefined> {
  return readCommit(repo, keepRef(task, kept))
}

/** Forgets both keep refs of a landing that is over. */
export async function forgetKept(repo: string, task: TaskId): Promise<void> {
  await deleteRefs(repo, [keepRef(task, "head"), keepRef(task, "candidate")])
}
