/** Makes a folder for its owner alone. The launcher loads this before anything else: no imports but these. */
import { dirname } from "node:path"
import { folderFault } from "../core/private-folder.ts"
import { fs } from "./builtins.ts"

/**
 * Makes `dir`, and missing folders above it, with mode 0700.
 *
 * @returns the fault of an existing folder, continuing "the folder …".
 * @throws the system's error if it cannot be made.
 */
export function makePrivateFolder(dir: string): string | undefined {
  // Not by Node's `recursive`, which never returns in a folder that takes no folders, such as /proc.
  const missing: string[] = []
  for (let at = dir; !fs.existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const path of missing) {
    try {
      fs.mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error // another process was quicker
    }
  }
  return folderFault(fs.statSync(dir), process.geteuid?.())
}
