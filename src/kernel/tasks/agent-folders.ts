/** Folders of the home's state that agents reach. Agents write in some, so these may hold anything. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { TaskId } from "../../base/ids.ts"

/** Removes a link itself, never what it leads to. */
export const removeFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true })

/** An agent can create folders that we may not delete. We leave them; they block no other task. */
export function removeIfAllowed(folder: string): void {
  try {
    removeFolder(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "EACCES" && code !== "EPERM") throw error
  }
}

/** The folder of a task's files, which its agent reads. */
export const filesOf = (stateDir: string, task: TaskId): string =>
  join(stateDir, "files", String(task))
