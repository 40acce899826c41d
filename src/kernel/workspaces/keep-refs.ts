/** Keep refs hold a landing's commits until it is recorded, so that no gc can take them. */
import type { Oid, RefName } from "../../base/ids.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { deleteRefs, updateRef } from "../git/change/update-ref.ts"
import { RefBusyError } from "./errors.ts"
import { keepPrefix, type Owner } from "./task-refs.ts"

const KINDS = ["head", "candidate", "stashes", "popped"] as const
/** The last two: stashes/remembered-stashes.ts. */
export type Kept = (typeof KINDS)[number]

/** `reason`: that of the coming move, so that one git process can do both. */
type Keeping = { readonly kept: Kept; readonly commit: Oid; readonly reason?: string }

const keepRef = async (repo: string, owner: Owner, kept: Kept) =>
  `${await keepPrefix(repo, owner)}/${kept}` as RefName

/**
 * Points the task's keep ref, which is ours alone, at `commit`, whatever it pointed at.
 *
 * @throws {RefBusyError} when it does not point there now.
 */
export async function keep(
  repo: string,
  owner: Owner,
  { kept, commit, reason = `keep ${kept}` }: Keeping,
): Promise<void> {
  const ref = await keepRef(repo, owner, kept)
  const created = await updateRef(repo, { ref, from: null, to: commit, reason })
  if (created.kind === "moved") return
  if (created.kind === "locked") throw new RefBusyError(ref)
  if (created.actual === commit) return
  const from = created.actual ?? null
  const moved = await updateRef(repo, { ref, from, to: commit, reason })
  if (moved.kind !== "moved") throw new RefBusyError(ref)
}

export async function findKept(repo: string, owner: Owner, kept: Kept): Promise<Oid | undefined> {
  return await readCommit(repo, await keepRef(repo, owner, kept))
}

/** Deletes keep refs: all of a task that is over, by default. @throws {RefBusyError} */
export async function forgetKept(
  repo: string,
  owner: Owner,
  kinds: readonly Kept[] = KINDS,
): Promise<void> {
  const prefix = await keepPrefix(repo, owner)
  const refs = kinds.map((kept) => `${prefix}/${kept}` as RefName)
  const locked = await deleteRefs(repo, refs)
  if (locked) throw new RefBusyError(locked)
}
