/** Tells when a file may have changed, also where the system watches no more folders. */
import { unwatchFile, watch, watchFile } from "node:fs"
import { join } from "node:path"

/** An editor beside us may have taken all that the system allows a user. */
const LOOK_MS = 500

type Watched = {
  readonly folder: string
  readonly name: string
  onChange(): void
  onError(error: unknown): void
}

/** @returns how to stop watching. */
export function watchedFile({ folder, name, onChange, onError }: Watched): () => void {
  try {
    const watcher = watch(folder, (_, changed) => {
      if (changed === null || changed === name) onChange()
    })
    watcher.on("error", onError)
    return () => watcher.close()
  } catch {
    const path = join(folder, name)
    watchFile(path, { interval: LOOK_MS, persistent: false }, onChange)
    return () => unwatchFile(path, onChange)
  }
}
