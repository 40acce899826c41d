/**
 * Makes the folder for worktrees, or takes the one that is there if no other user can put anything in it.
 *
 * Agents, set-up and gate run in its worktrees. A user who can write there could replace each of them.
 */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs"
import { chmod, mkdir, realpath } from "node:fs/promises"
import { dirname } from "node:path"
import { faultAbove } from "../../../base/private-folder.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { findRealPlace } from "../../git/start/real-place.ts"
import { WorkspaceError } from "../errors.ts"
import { excludeFolder } from "./exclude.ts"

const ELSEWHERE =
  "Set `workspace.worktree_dir` in coppice.yml to a folder of your own that can be written."

/**
 * @param repo main worktree, or bare directory.
 * @returns the real path. @throws {WorkspaceError} `workspace.path_refused` (user)
 */
export async function madeFolder(folder: string, repo: string): Promise<string> {
  refuseLink(folder, repo)
  const real = await make(folder)
  refuseShared(folder, real, repo)
  exclude(real, repo)
  return real
}

/** The same checks, also where the folder is not made yet. @throws {WorkspaceError} `workspace.path_refused` (user) */
export function demandOwnFolder(folder: string, repo: string): void {
  refuseLink(folder, repo)
  const there = nearest(folder)
  refuseShared(there, realpathSync(there), repo)
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)))

function refuseLink(folder: string, repo: string): void {
  const place = findRealPlace(folder, [repo])
  if (place.kind === "refused") throw refused(`${place.link} is a link, and agents may write there`)
}

function refuseShared(folder: string, real: string, repo: string): void {
  const user = { uid: process.geteuid?.(), gid: process.getegid?.() }
  const { uid } = lstatSync(folder)
  if (user.uid !== undefined && ![0, user.uid].includes(uid))
    throw refused(`${folder} belongs to another user (uid ${uid})`)
  for (const at of foldersTo(real, repo)) {
    const fault = faultAbove(statSync(at), user)
    if (fault) throw refused(`a worktree in ${real} ${fault}`, [cure(at), ELSEWHERE])
  }
}

const NOT_OURS: readonly unknown[] = ["EACCES", "EPERM", "EROFS", "file.unreadable"]

function exclude(folder: string, repo: string): void {
  try {
    excludeFolder(folder, repo)
  } catch (error) {
    // A user who may not write there does not commit there.
    if (!NOT_OURS.includes((error as { readonly code?: unknown }).code)) throw error
  }
}

/**
 * A new one is closed to others: a program that an agent leaves there runs for no other user. Without a
 * set-group-id bit of the folder around it, which each folder in it would get: no sandbox can set that.
 */
async function make(folder: string): Promise<string> {
  try {
    if (await mkdir(folder, { recursive: true, mode: 0o700 })) await chmod(folder, 0o700)
    return await realpath(folder)
  } catch (error) {
    throw refused((error as Error).message)
  }
}

/** The folder and those around it, up to one that holds the repository too, which is as safe as that. */
function foldersTo(folder: string, repo: string): string[] {
  const isAround = folder === "/" || `${repo}/`.startsWith(`${folder}/`)
  return isAround ? [] : [folder, ...foldersTo(dirname(folder), repo)]
}

const cure = (folder: string): string =>
  `If it is yours: \`chmod go-w ${shellWord(folder)}\`. If not, remove it or move it away.`

const refused = (why: string, hints: readonly string[] = [ELSEWHERE]): WorkspaceError =>
  new WorkspaceError(
    "workspace.path_refused",
    `The folder for worktrees cannot be used: ${why}.`,
    hints,
  )
