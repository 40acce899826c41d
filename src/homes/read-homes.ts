/**
 * Reads what every home's tasks are, without starting a daemon: the stores are opened to be read.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { findDaemon, readHome } from "../client/daemon-address.ts"
import { databasePath, stateRoot } from "../client/state-dir.ts"
import { AppError } from "../core/errors.ts"
import type { HomesDocument } from "../core/wire/documents.ts"
import { readDb } from "../store/open.ts"
import { StateUnreadableError } from "./errors.ts"
import { taskLines } from "./task-lines.ts"

type Home = HomesDocument["homes"][number]

/**
 * @param env says where the state of homes lies. Homes in which no daemon ever ran are not known.
 * @throws {StateUnreadableError}
 */
export function readHomes(env: Readonly<Record<string, string | undefined>>): HomesDocument {
  const root = stateRoot(env)
  const dirs = namesIn(root).map((name) => join(root, name))
  return { homes: dirs.filter((dir) => existsSync(databasePath(dir))).map(readOne) }
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [] // no daemon ever ran
    throw new StateUnreadableError(root, error)
  }
}

function readOne(stateDir: string): Home {
  const known = {
    home: readHome(stateDir) ?? stateDir,
    running: findDaemon(stateDir) !== undefined,
  }
  try {
    using db = readDb(databasePath(stateDir))
    return {
      ...known,
      ...taskLines({ db: db.db, findRest: () => null, findWait: () => undefined }),
      problem: null,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...known, tasks: [], problem: error.message }
  }
}
