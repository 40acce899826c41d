/** Keep refs hold a landing's commits until it is recorded, so that no gc can take them. */
import type { Oid, RefName, TaskId } from "../core/ids.ts"
import { readCommit } from "../git/rev-parse.ts"
import { deleteRef, updateRef } from "../git/update-ref.ts"

export type Kept = "head" | "candidate"

const keepRef = (task: TaskId, kept: Kept) => `refs/coppice/${task}/${kept}` as RefName

/** Points the task's keep ref at `commit`, wherever it was before: it is ours alone. */
export async function keep(
  repo: string,
  task: TaskId,
  { kept, commit }: { kept: Kept; commit: Oid },
): Promise<void> {
  const ref = keepRef(task, kept)
  const created = await updateRef(repo, { ref, from: null, to: commit, reason: `keep ${kept}` })
  if (created.kind !== "stale" || created.actual === commit) return
  await updateRef(repo, { ref, from: created.actual ?? null, to: commit, reason: `keep ${kept}` })
}

/** Forgets both keep refs of a landing that is recorded. */
export async function forgetKept(repo: string, task: TaskId): Promise<void> {
  for (const kept of ["head", "candidate"] as const) {
    const ref = keepRef(task, kept)
    const commit = await readCommit(repo, ref)
    if (commit) await deleteRef(repo, { ref, from: commit, reason: "landed" })
  }
}
