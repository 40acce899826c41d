/**
 * Looks at the settings that all checkouts of a repository obey, and says which ones changed while tasks
 * were at work.
 *
 * An install that an agent or a gate starts can write `core.hooksPath` or `core.bare` there. We cannot tell
 * that from a person's own `git config`, so we undo nothing.
 */
import { join } from "node:path"
import { AppError } from "../../base/errors.ts"
import { listOwnConfig } from "../git/ask/config.ts"
import { commonDirOf, findGitDir } from "../git/start/git-dir.ts"
import type { Db } from "../store/open.ts"
import {
  findSeenSettings,
  listAtWork,
  listSeenSettings,
  recordSeenSettings,
} from "./rows/seen-settings.ts"
import {
  compareSettings,
  describeSetting,
  type SharedSettings,
  sharedSettings,
  standingChanges,
} from "./rules/shared-settings.ts"

/** The first look only records. Set-up does that before anything of a task runs. */
export async function lookAtSettings(db: Db, repo: string, nowMs: number): Promise<void> {
  const now = await readShared(repo)
  if (now === undefined) return
  const { settings, file } = now
  const seen = findSeenSettings(db, repo)
  if (!seen) return recordSeenSettings(db, { repo, settings, changed: [] }, [])
  const tasks = listAtWork(db, seen)
  const found = compareSettings(seen.settings, settings)
  if (found.length === 0 && tasks.length === 0) return
  const changed = standingChanges(seen.changed, found, { file, tasks, atMs: nowMs })
  const told = changed.filter(({ key }) => found.some((one) => one.key === key))
  const texts = told.map((change) => ({ change, text: describeSetting(change) }))
  recordSeenSettings(db, { repo, settings, changed }, texts)
}

/** Undefined where git cannot tell, and so does not work either: whatever waits for that names the cause. */
async function readShared(
  repo: string,
): Promise<{ readonly settings: SharedSettings; readonly file: string } | undefined> {
  try {
    const config = await listOwnConfig(repo)
    const file = join(commonDirOf(findGitDir(repo) ?? repo), "config")
    return config.length > 0 ? { settings: sharedSettings(config), file } : undefined
  } catch (error) {
    if (error instanceof AppError && error.blame !== "bug") return undefined
    throw error
  }
}

/** How long a change is a problem for a person, who looks once a day. */
const PROBLEM_MS_MAX = 24 * 60 * 60_000

/** For a person: the changes of the last day that have not been taken back. */
export function listSettingProblems(db: Db, nowMs: number): string[] {
  return listSeenSettings(db).flatMap(({ changed }) =>
    changed
      .filter(({ atMs }) => nowMs - atMs < PROBLEM_MS_MAX)
      .map((change) => `${describeSetting(change)}.`),
  )
}
