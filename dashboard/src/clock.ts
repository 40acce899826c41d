/** One clock for the whole page, and how it shows a time. */
import { useSyncExternalStore } from "react"

let now = Date.now()

/** Reads the time each second. */
export function useClock(read: (nowMs: number) => string): string {
  return useSyncExternalStore(watchClock, () => read(now))
}

/** The time of day; with its date if that is not today's. */
export function shownTime(at: string): string {
  const time = new Date(at)
  const isToday = time.toDateString() === new Date().toDateString()
  return isToday ? time.toLocaleTimeString() : time.toLocaleString()
}

const clockWatchers = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const watcher of clockWatchers) watcher()
}, 1_000)

function watchClock(watcher: () => void): () => void {
  clockWatchers.add(watcher)
  return () => clockWatchers.delete(watcher)
}
