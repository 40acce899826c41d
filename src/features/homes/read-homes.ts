/**
 * Reads the tasks of every home from its store, without starting a daemon.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { findDaemon, readLastDaemon } from "../../api/client/daemon-address.ts"
import { StateDirError } from "../../api/client/errors.ts"
import { isAside } from "../../api/client/moved-home.ts"
import { databasePath, stateRoot } from "../../api/client/state-dir.ts"
import type { DocumentParts } from "../../api/documents/feature-parts.ts"
import { taskLines } from "../../api/documents/task-lines.ts"
import type { HomesDocument } from "../../api/wire/home.ts"
import { AppError } from "../../base/errors.ts"
import { folderFault } from "../../base/private-folder.ts"
import { readDb } from "../../kernel/store/open.ts"

type Home = HomesDocument["homes"][number]

/**
 * @param env says where the state of homes lies. Homes in which no daemon ever ran are not known.
 * @param features give reasons of tasks.
 * @throws {StateUnreadableError}
 */
export function readHomes(
  env: Readonly<Record<string, string | undefined>>,
  features: readonly DocumentParts[],
): HomesDocument {
  return { homes: listStateDirs(stateRoot(env)).map((dir) => readHome(dir, features)) }
}

/** The state directories below `root` that have a store. @throws {StateUnreadableError} */
export function listStateDirs(root: string): string[] {
  const dirs = namesIn(root).map((name) => join(root, name))
  return dirs.filter((dir) => existsSync(databasePath(dir)))
}

/** One of them by its name, which may be any text; undefined if there is none that is private. */
export function findStateDir(root: string, name: string): string | undefined {
  if (!namesIn(root).includes(name)) return undefined
  const dir = join(root, name)
  const isPrivate = folderFault(statSync(dir), process.geteuid?.()) === undefined
  return isPrivate && existsSync(databasePath(dir)) ? dir : undefined
}

function namesIn(root: string): string[] {
  try {
    const names = readdirSync(root).toSorted()
    const fault = folderFault(statSync(root), process.geteuid?.())
    if (fault !== undefined) throw new StateDirError(root, fault)
    return names
  } catch (error) {
    if (error instanceof StateDirError) throw error
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [] // no daemon ever ran
    throw new StateUnreadableError(root, error)
  }
}

/** The folder of the home, or that of its state if that is all that is known. */
export const homeOf = (stateDir: string): string =>
  (!isAside(stateDir) && readLastDaemon(stateDir)?.home) || stateDir

export function readHome(stateDir: string, features: readonly DocumentParts[]): Home {
  const known = {
    home: homeOf(stateDir),
    running: findDaemon(stateDir) !== undefined,
  }
  try {
    using db = readDb(databasePath(stateDir))
    return {
      ...known,
      ...taskLines({
        db: db.db,
        features,
        findRest: () => null,
        findStep: () => null,
        findBounds: () => [],
        findWait: () => undefined,
      }),
      problem: null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...known, tasks: [], problem: error.message }
  }
}

/** The folder with the state of all homes cannot be read. */
class StateUnreadableError extends AppError {
  constructor(root: string, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException
    super("state.unreadable", "user", `The state of homes in ${root} cannot be read (${code}).`, {
      hints: [
        "Make it a folder that you can read.",
        "Or name another folder for the state of homes with COPPICE_STATE or XDG_STATE_HOME.",
      ],
      cause,
    })
  }
}
