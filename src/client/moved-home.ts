/**
 * Finds the state of a home that was moved to another folder, so that no second state is begun.
 *
 * A folder that is moved on its disk stays the same folder: its inode and birth time say so. A copy
 * is another folder, and never gets the state of the original. After a move to another disk, only the
 * mark in the git directory is known; it could be that of a copy, so a person decides.
 */
import { join } from "node:path"
import { AppError } from "../core/errors.ts"
import { shellWord } from "../core/shell-word.ts"
import { fs } from "./builtins.ts"
import { type DaemonAddress, readLastDaemon } from "./daemon-address.ts"
import { lookUpRepository } from "./repository.ts"

export type MovedHome = {
  /** Real paths of the old place and the new one. */
  readonly from: string
  readonly to: string
  /** The state directory of the old place. */
  readonly state: string
}

/** This folder has no state, but was a home in another place. */
export class HomeMovedError extends AppError {
  override readonly name = "HomeMovedError"
  readonly code = "home.moved"
  readonly blame = "user"
  override readonly hints: readonly string[]
  readonly moved: MovedHome
  /** It is certainly the same folder. */
  readonly isSame: boolean

  constructor(moved: MovedHome, mark: string | undefined) {
    const { from, to } = moved
    const tasks = "its tasks and worktrees are kept"
    super(
      mark === undefined
        ? `${to} was ${from}: ${tasks}.`
        : `${to} was ${from}, or is a copy of it. ${from} is gone; ${tasks}.`,
    )
    this.moved = moved
    this.isSame = mark === undefined
    const take = `\`coppice up -d --moved-from ${shellWord(from)}\` takes them along.`
    const begin = `If it is a copy, \`rm ${shellWord(mark ?? "")}\` begins a home of its own.`
    this.hints = mark === undefined ? [take] : [take, begin]
  }
}

/** Distinguishes a folder from every other one on its disk; undefined if the system does not tell. */
export function findFolderId(path: string): string | undefined {
  try {
    const { ino, birthtimeNs } = fs.statSync(path, { bigint: true })
    return birthtimeNs > 0n ? `${ino} ${birthtimeNs}` : undefined
  } catch (error) {
    // Any other error does not prove that the folder is gone.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined
  }
}

/** @param root the folder with the state of all homes. @throws HomeMovedError */
export function refuseMoved(root: string, home: string): void {
  const id = findFolderId(home)
  if (id === undefined || id === "gone" || !fs.existsSync(root)) return
  const mark = findMark(home)
  for (const name of fs.readdirSync(root)) {
    const state = join(root, name)
    const last = readLastDaemon(state)
    if (!last || last.home === home) continue
    const moved = { from: last.home, to: home, state }
    if (last.folder === id && !standsAt(last, id)) throw new HomeMovedError(moved, undefined)
    const isMarked = mark !== undefined && mark.name === last.name
    if (isMarked && findFolderId(last.home) === "gone") throw new HomeMovedError(moved, mark.path)
  }
}

/** The same folder may have two paths: it is mounted twice. */
function standsAt({ home }: DaemonAddress, id: string): boolean {
  return findFolderId(home) === id && fs.realpathSync.native(home) === home
}

/** The name of the first home in the repository. */
function findMark(home: string): { readonly name: string; readonly path: string } | undefined {
  const gitDir = lookUpRepository(home)?.gitDir
  const path = gitDir && join(gitDir, "coppice.home")
  if (!path || !fs.statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  return { name: fs.readFileSync(path, "utf8").trimEnd(), path }
}
