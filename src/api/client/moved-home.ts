/**
 * Finds the state of a home that was moved to another folder, so that no second state is begun.
 *
 * A folder that is moved on its disk stays the same folder: its inode and birth time say so. A copy
 * is another folder, and never gets the state of the original. After a move to another disk, only the
 * name in the git directory is known; it could be that of a copy, so a person decides.
 *
 * A new folder may stand where a home stood. The state of the old one is then set aside, until a
 * command runs in the folder that it belongs to.
 */
import { join } from "node:path"
import { AppError } from "../../base/errors.ts"
import { fnv1a } from "../../base/text/hash.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { type DaemonAddress, readLastDaemon } from "./daemon-address.ts"
import { findFolderId, findNameFile, findRepositoryId } from "./folder-id.ts"
import { fs } from "./node-builtins.ts"

export type MovedHome = {
  /** Real paths of the old place and the new one. */
  readonly from: string
  readonly to: string
  /** The state directory of the old place. */
  readonly state: string
}

/** This folder has no state, but was a home in another place. */
export class HomeMovedError extends AppError {
  readonly moved: MovedHome
  /** The home is certainly the same folder. */
  readonly isSame: boolean

  constructor(moved: MovedHome, nameFile: string | undefined) {
    const { from, to } = moved
    const tasks = "its tasks and worktrees are kept"
    const take = `\`coppice up -d --moved-from ${shellWord(from)}\` takes them along.`
    const begin = `If it is a copy, \`rm ${shellWord(nameFile ?? "")}\` begins a home of its own.`
    const message =
      nameFile === undefined
        ? `${to} was ${from}: ${tasks}.`
        : `${to} was ${from}, or is a copy of it. ${from} is gone; ${tasks}.`
    super("home.moved", "user", message, { hints: nameFile === undefined ? [take] : [take, begin] })
    this.moved = moved
    this.isSame = nameFile === undefined
  }
}

/** The state of this path belongs to another folder, which was moved away or removed. */
export class HomeReplacedError extends AppError {
  /** The state directory of the other folder. */
  readonly state: string
  /** The place of that state once it is set aside. */
  readonly aside: string

  constructor(home: string, state: string, folder: string) {
    const message = `${home} is a new folder. The tasks on record are those of another one that stood here.`
    super("home.replaced", "user", message, {
      hints: [
        "`coppice ls` here begins without those tasks. They return when a command runs in the other folder.",
      ],
    })
    this.state = state
    this.aside = `${state}.${fnv1a(folder)}`
  }
}

/** Whether a state directory was set aside: a new folder stands in the place of its home. */
export const isAside = (state: string): boolean => /-[0-9a-f]{16}\.[0-9a-f]{16}$/.test(state)

/** @param root the folder with the state of all homes. @throws HomeMovedError */
export function refuseMoved(root: string, home: string): void {
  const id = findFolderId(home)
  if (id === undefined || id === "gone" || !fs.existsSync(root)) return
  const nameFile = findNameFile(home)
  for (const name of fs.readdirSync(root)) {
    const state = join(root, name)
    const last = readLastDaemon(state)
    if (!last || (last.home === home && !isAside(state))) continue
    const moved = { from: last.home, to: home, state }
    const stands = !isAside(state) && standsAt(last, id)
    if (last.folder === id && !stands) throw new HomeMovedError(moved, undefined)
    const hasName = nameFile !== undefined && nameFile.name === last.name
    const isGone = isAside(state) || findFolderId(last.home) === "gone"
    if (hasName && isGone) throw new HomeMovedError(moved, nameFile.path)
  }
}

/**
 * A folder at the home's path is the home if it is the same one, or holds the same repository: git may
 * have made the folder again. A repository with the home's name is a restored backup.
 *
 * @param state the state directory of `home`. @throws HomeReplacedError
 */
export function refuseReplaced(state: string, home: string): void {
  const last = readLastDaemon(state)
  if (last?.folder === undefined) return
  const id = findFolderId(home)
  if (id === undefined || id === last.folder) return
  const isSame = last.repository !== undefined && last.repository === findRepositoryId(home)
  if (isSame || (last.name !== undefined && findNameFile(home)?.name === last.name)) return
  throw new HomeReplacedError(home, state, last.folder)
}

/** The same folder may have two paths: it is mounted twice. */
function standsAt({ home }: DaemonAddress, id: string): boolean {
  return findFolderId(home) === id && fs.realpathSync.native(home) === home
}
