/**
 * Tells of commits after which there may be work to do.
 *
 * A fleet that talks commits many times a second. What its agents say, and that they get on, moves
 * no row that anybody drives or waits for.
 */
import type { Db } from "./open.ts"
import { onCommit } from "./sql.ts"

const SMALL_TALK = "task.progress"

/** @returns how to stop that. */
export function onNews(db: Db, listener: () => void): () => void {
  return onCommit(db, (events) => {
    if (events.some(({ type }) => type !== SMALL_TALK)) listener()
  })
}
