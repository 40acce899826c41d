/** Reports that a file may have changed, even if the system can watch no more folders. */
import { unwatchFile, watch, watchFile } from "node:fs"
import { join } from "node:path"

/** The polling interval, for when other programs hold all the watches that the system allows. */
const POLL_MS = 500

type Watched = {
  readonly folder: string
  readonly name: string
  onChange(): void
  onError(error: unknown): void
}

/** @returns a function that stops watching. */
export function watchForChanges({ folder, name, onChange, onError }: Watched): () => void {
  try {
    const watcher = watch(folder, (_, changed) => {
      if (changed === null || changed === name) onChange()
    })
    watcher.on("error", onError)
    return () => watcher.close()
  } catch {
    const path = join(folder, name)
    watchFile(path, { interval: POLL_MS, persistent: false }, onChange)
    return () => unwatchFile(path, onChange)
  }
}
