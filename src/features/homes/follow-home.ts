/**
 * Follows a home that was moved to another folder: mends git's links to the worktrees, then records
 * every path in one transaction.
 *
 * Both are safe to repeat. The store has the old place until all of it is done, so a start that was
 * killed is done again by the next one. Nothing is removed: a path whose new place is unknown stays
 * on record as it is.
 *
 * @see docs/adr/0077-a-home-is-its-folder-wherever-it-stands.md
 */
import { existsSync, lstatSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { AppError } from "../../base/errors.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { listLinked } from "../../kernel/git/ask/linked-worktrees.ts"
import { repairWorktrees } from "../../kernel/git/change/worktree-repair.ts"
import { commonDirOf, findGitDir } from "../../kernel/git/start/git-dir.ts"
import { readPlainText } from "../../kernel/process/plain-file.ts"
import { claimHome, recordHomeMoved } from "../../kernel/store/home.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listRepoPaths } from "../../kernel/tasks/rows/task-repos/list.ts"
import { pathInside } from "../../kernel/workspaces/worktrees-folder.ts"
import { changeTrust } from "../trust/trust-record.ts"

/** @param place.home real path. @param place.stateDir of its state, as it is named now. */
export async function followHome(
  db: Db,
  { home, stateDir }: { readonly home: string; readonly stateDir: string },
): Promise<void> {
  const { path: from } = claimHome(db, { name: stateDir, path: home })
  if (from === home) return
  const move = { from, to: home }
  const repos = new Set(listRepoPaths(db).map((path) => newPlace(path, move, new Set())))
  const linked = new Set([...repos].flatMap(linkedTo))
  const placeOf = (path: string) => newPlace(path, move, linked)
  for (const repo of repos) await mendLinks(repo, placeOf)
  changeTrust(stateDir, (now) => ({
    ...now,
    git: Object.fromEntries(
      Object.entries(now.git).map(([gitDir, hash]) => [placeOf(gitDir), hash]),
    ),
  }))
  recordHomeMoved(db, home, placeOf)
}

type Move = { readonly from: string; readonly to: string }

/**
 * Files in the home have moved with it. A worktree next to it may have stayed, or moved along: to the
 * same place relative to the home, or to the folder with the home's new name. Another
 * folder may be there: a linked worktree has moved only if its `.git` file says so.
 *
 * @param linked the worktrees on git's record, in their old places.
 */
function newPlace(path: string, { from, to }: Move, linked: ReadonlySet<string>): string {
  if (path === from) return to
  const inside = pathInside(from, path)
  if (inside !== undefined) return resolve(to, inside)
  if (existsSync(path)) return path
  const beside = resolve(to, relative(from, path))
  const renamed = path.startsWith(`${from}.`) ? `${to}${path.slice(from.length)}` : beside
  const isThere = (place: string) =>
    linked.has(path) ? namesRecordOf(place, path, { from, to }) : existsSync(place)
  return [beside, renamed].find(isThere) ?? path
}

/** Whether the `.git` file of `place` names git's record of the worktree that stood at `path`. */
function namesRecordOf(place: string, path: string, { from, to }: Move): boolean {
  const file = join(place, ".git")
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false
  const named = /^gitdir: (.*[^\n])\n*$/s.exec(readPlainText(file) ?? "")?.[1]
  if (named === undefined) return false
  const before = resolve(place, named)
  const inside = pathInside(from, before)
  const record = inside === undefined ? before : resolve(to, inside)
  const back = readPlainText(join(record, "gitdir"))?.trimEnd()
  return back !== undefined && dirname(resolve(record, back)) === path
}

/** The linked worktrees that git has on record, wherever they are. */
function linkedTo(repo: string): string[] {
  const gitDir = findGitDir(repo) // none: it is gone, and its tasks say so
  return gitDir === undefined ? [] : listLinked(commonDirOf(gitDir)).map(({ path }) => path)
}

async function mendLinks(repo: string, placeOf: (path: string) => string): Promise<void> {
  if (findGitDir(repo) === undefined) return
  const linked = linkedTo(repo)
  const moved = linked.map(placeOf).filter((place, at) => place !== linked[at])
  try {
    await repairWorktrees(repo, moved)
  } catch (cause) {
    throw new HomeUnmendedError(repo, cause)
  }
}

/** Git could not mend the links between a repository that moved and its worktrees. */
class HomeUnmendedError extends AppError {
  constructor(repo: string, cause: unknown) {
    const git = `git -C ${shellWord(repo)}`
    const message = `The links of ${repo} to its worktrees could not be mended: ${(cause as Error).message}`
    super("home.unmended", "world", message, {
      hints: [
        `\`git --git-dir ${shellWord(`${repo}/.git`)} config core.worktree\` must name its new place, if it is set.`,
        `\`${git} worktree repair\` then works, and so does the command that you gave.`,
      ],
      cause,
    })
  }
}
