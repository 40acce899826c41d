/** `git maintenance run --task=loose-objects`: packs loose objects where nobody's git collects them. */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { git } from "../exec.ts"

/** Half of what makes git's own `gc --auto` collect: then that has not come by. */
const LOOSE_MIN = 3_350
/** Objects spread evenly over so many folders, of which git looks into this one as well. */
const FOLDERS = 256
const SAMPLE = "17"

/**
 * Writes a pack and deletes what is loose and in a pack already. Nothing becomes unreadable that
 * was not: objects that no ref reaches are packed like any other. Callers hold the repository's lock.
 *
 * @returns whether there was enough to do.
 */
export async function packLooseObjects(cwd: string, commonDir: string): Promise<boolean> {
  const objects = join(commonDir, "objects")
  const names = await readdir(join(objects, SAMPLE)).catch(() => []) // none: no folder
  if (names.length * FOLDERS < LOOSE_MIN) return false
  if (existsSync(join(objects, "maintenance.lock"))) return false // somebody's is at it
  const args = ["maintenance", "run", "--quiet", "--task=loose-objects"]
  const { exitCode } = await git(cwd, args, { answers: [0, 1, 128] })
  return exitCode === 0
}
