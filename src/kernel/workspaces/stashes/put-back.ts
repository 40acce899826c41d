/**
 * Puts a stash back into git's list, at its place.
 *
 * Git only adds on top. So later stashes are added once more above it, and their first entries are
 * taken out. A kill in between leaves an entry twice, and loses none.
 */

import { readCommit } from "../../git/ask/rev-parse.ts"
import { listStashes, STASHES, type Stash } from "../../git/ask/stashes.ts"
import { deleteLogged } from "../../git/change/reflog-delete.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { RefBusyError } from "../errors.ts"

/** @param later stashes of the list that were made after it, newest first. */
export async function putBackStash(
  repo: string,
  stash: Stash,
  later: readonly Stash[],
): Promise<void> {
  for (const one of [stash, ...later.toReversed()]) await store(repo, one)
  for (const { oid } of later) {
    const list = (await listStashes(repo)).map((one) => one.oid)
    const at = list.lastIndexOf(oid)
    if (list.indexOf(oid) < at) await deleteLogged(repo, STASHES, at)
  }
}

/** A person may stash or pop at the same moment. */
const TRIES_MAX = 10

/** @throws {RefBusyError} */
async function store(repo: string, { oid, message }: Stash): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const from = (await readCommit(repo, STASHES)) ?? null
    const move = { ref: STASHES, from, to: oid, reason: message }
    if ((await updateRef(repo, move)).kind === "moved") return
  }
  throw new RefBusyError(STASHES)
}
