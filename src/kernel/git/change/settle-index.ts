/**
 * Lets every git take the files of a fresh checkout for unchanged, also those of ask/as-written.ts.
 *
 * Git rereads a file that is not older than its index, and would then find those changed. So a `git add --all` of an agent
 * would take them for its work. Here the second in which they were written is over before the index gets its time. So each
 * later edit has another time than the index remembers.
 *
 * @see https://git-scm.com/docs/racy-git
 */
import { existsSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { readDiffering } from "../ask/as-written.ts"
import { gitDir } from "../ask/rev-parse.ts"
import { git } from "../start/exec.ts"
import { commonDirOf } from "../start/git-dir.ts"

/** Git compares whole seconds. File times are a few ms behind the clock. */
const SECOND_MS = 1000
const COARSE_MS = 50

/** @param cwd root of a worktree that was just filled, and that no one uses yet. */
export async function settleIndex(cwd: string): Promise<void> {
  const dir = await gitDir(cwd)
  const index = join(dir, "index")
  if (!(await hasAttributes(cwd, dir)) || (await readDiffering(cwd, [])).asWritten.length === 0)
    return
  const writtenAtMs = statSync(index).mtimeMs
  const endsAtMs = (Math.floor(writtenAtMs / SECOND_MS) + 1) * SECOND_MS + COARSE_MS
  const leftMs = endsAtMs - Date.now()
  if (leftMs > 0) await delay(Math.min(leftMs, SECOND_MS + COARSE_MS))
  const now = new Date()
  if (statSync(index).mtimeMs === writtenAtMs) utimesSync(index, now, now)
}

/** Without them git converts no file, and need not reread all. */
async function hasAttributes(cwd: string, dir: string): Promise<boolean> {
  if (existsSync(join(commonDirOf(dir), "info", "attributes"))) return true
  const { stdout } = await git(cwd, ["ls-files", "-z", "--", ":(top,glob)**/.gitattributes"])
  return stdout !== ""
}
