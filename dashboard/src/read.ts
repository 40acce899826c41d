/** Reads an answer of the daemon for a part of the page, and reads it again when it may have changed. */
import { useEffect, useRef, useState } from "react"
import type { EventDocument } from "../../src/api/wire/events.ts"
import { goOffline, onEvents, useIsLive } from "./live.ts"
import { oneAtATime } from "./one-at-a-time.ts"
import { isUnreachable, wordsOf } from "./request-error.ts"

/** The shortest time between two readings of an answer that every event may change. */
const READ_MS_MIN = 100

type Read<Document> = {
  readonly document: Document | undefined
  readonly error: string
}

/** In place of a task's id: after each event of any task, or after none. */
export const EVERY_EVENT = "*"
export const NO_EVENT = "-"
/** For answers about other homes too: this daemon has no events of theirs. */
export const EVERY_TEN_SECONDS = "~"
const TEN_SECONDS_MS = 10_000

/**
 * The answer of `read`, read again after each event of the task, and when the page is live again.
 *
 * @param task an id, or one of the constants above.
 * @param key tells one question about the task from another.
 */
export function useRead<Document>(
  task: string,
  read: () => Promise<Document>,
  key = "",
): Read<Document> {
  const none = { document: undefined, error: "", key }
  const [answer, setAnswer] = useState<Read<Document> & { readonly key: string }>(none)
  const isLive = useIsLive()
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    let isOver = false
    const readNow = oneAtATime(async () => {
      try {
        const document = await latest.current()
        if (!isOver) setAnswer({ document, error: "", key })
      } catch (error) {
        // Without a daemon, the page keeps its last answer and says that it is not live.
        if (isUnreachable(error)) goOffline(error)
        else if (!isOver) setAnswer({ document: undefined, error: wordsOf(error), key })
      }
      if (task === EVERY_EVENT) await new Promise((resolve) => setTimeout(resolve, READ_MS_MIN))
    })
    const onEvent = (event: EventDocument) => {
      if (event.task === task || task === EVERY_EVENT) readNow()
    }
    const stop = onEvents(onEvent)
    if (isLive) readNow()
    const timer =
      task === EVERY_TEN_SECONDS
        ? setInterval(() => document.hidden || readNow(), TEN_SECONDS_MS)
        : undefined
    return () => {
      isOver = true
      clearInterval(timer)
      stop()
    }
  }, [task, key, isLive])
  return answer.key === key ? answer : none
}
