/** One clock for the whole page. */
import { useSyncExternalStore } from "react"

let now = Date.now()

/** Reads the time each second. */
export function useClock(read: (nowMs: number) => string): string {
  return useSyncExternalStore(watchClock, () => read(now))
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
