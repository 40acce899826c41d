/** Finds the conversation that another one begins as a copy of, if the same program keeps both. */
import type { Db } from "../../../store/open.ts"
import { findSession, type Session } from "./find.ts"

export function findForkable(
  db: Db,
  { forkOf }: Pick<Session, "forkOf">,
  heldBy: string | null,
): Session | undefined {
  const forked = forkOf === null ? undefined : findSession(db, forkOf)
  return forked && forked.heldBy === heldBy && forked.usedAtMs !== null ? forked : undefined
}
