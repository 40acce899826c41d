/**
 * Announces transactions of the store after which there may be work to do.
 *
 * A busy fleet commits many times a second. The log and the progress of agents change no row that a loop
 * drives or waits for.
 */
import type { Db } from "./open.ts"
import { onCommit } from "./sql.ts"

const SMALL_TALK = "task.progress"

/** @returns a function that stops it. */
export function onNews(db: Db, listener: () => void): () => void {
  return onCommit(db, (events) => {
    if (events.some(({ type }) => type !== SMALL_TALK)) listener()
  })
}
