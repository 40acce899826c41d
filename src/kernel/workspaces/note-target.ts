/**
 * Records where a target is before it is watched.
 *
 * Set-up does that before an agent starts, so a move by the agent is seen however soon it comes.
 */
import { readAlias } from "../git/ask/head.ts"
import { readReflog } from "../git/ask/reflog.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { isNoted, noteSeenTarget, type TargetKey } from "../landing/rows/seen-targets.ts"
import type { Db } from "../store/open.ts"

/** Does nothing if it is recorded already, does not exist, or is a symbolic ref. */
export async function noteTarget(db: Db, { path, target }: TargetKey): Promise<void> {
  if (isNoted(db, { path, target })) return
  const [tip, alias] = await Promise.all([readCommit(path, target), readAlias(path, target)])
  if (tip === undefined || alias !== undefined) return
  const isLogged = (await readReflog(path, target)).length > 0
  noteSeenTarget(db, { path, target, tip, isLogged })
}
