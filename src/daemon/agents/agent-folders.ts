/** Removes folders of the home's state in which agents write: their contents may be anything. */
import { rmSync } from "node:fs"

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
