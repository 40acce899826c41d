/** Folders of the home's state that agents reach. They write in some: the contents may be anything. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { TaskId } from "../../core/ids.ts"

/** Removes a link in its place, and never what the link leads to. */
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

/** Has the files that go with a task: its agent reads them. */
export const filesOf = (stateDir: string, task: TaskId): string =>
  join(stateDir, "files", String(task))
