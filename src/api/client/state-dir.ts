/**
 * The folder of a home's state: database, lock, log, the daemon's address.
 *
 * Outside of every repository, so that no `git clean`, watcher or agent reaches it. Only
 * the user may write it: another user could replace the daemon's address, and receive prompts.
 */
import { basename, isAbsolute, join, resolve } from "node:path"
import { AppError } from "../../base/errors.ts"
import { folderFault } from "../../base/private-folder.ts"
import { fnv1a } from "../../base/text/hash.ts"
import { StateDirError } from "./errors.ts"
import { makePrivateFolder } from "./make-private-folder.ts"
import { refuseMoved, refuseReplaced } from "./moved-home.ts"
import { fs } from "./node-builtins.ts"

type Env = Readonly<Record<string, string | undefined>>

/**
 * The state directory of `home` (a real path), made for its owner alone if missing.
 *
 * COPPICE_STATE, or else `coppice` in XDG_STATE_HOME (which must be absolute), holds one for each
 * home. So a variable that is set for every shell never makes two homes share a database.
 *
 * @param use `read`: a folder that is missing stays missing.
 * @throws StateDirError, HomeMovedError, HomeReplacedError
 */
export function stateDir(home: string, env: Env, use: "make" | "read" = "make"): string {
  const look = use === "make" ? makePrivateFolder : faultOf
  const root = stateRoot(env)
  const dir = stateDirOf(home, env)
  try {
    if (fs.existsSync(databasePath(dir))) refuseReplaced(dir, home)
    else refuseMoved(root, home)
    for (const folder of [root, dir]) {
      const fault = look(folder)
      if (fault !== undefined) throw new StateDirError(folder, fault)
    }
    if (fs.existsSync(dir)) fs.accessSync(`${dir}/.`, fs.constants.W_OK | fs.constants.X_OK) // ENOTDIR for a file
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new StateDirError(dir, `cannot be written (${code})`, { cause: error })
  }
  return dir
}

const faultOf = (dir: string): string | undefined =>
  fs.existsSync(dir) ? folderFault(fs.statSync(dir), process.geteuid?.()) : undefined

/** The path of the state directory of `home`; it need not exist. */
export function stateDirOf(home: string, env: Env): string {
  return join(stateRoot(env), keyOf(home))
}

export const databasePath = (stateDir: string): string => join(stateDir, "coppice.db")

export const daemonLogPath = (stateDir: string): string => join(stateDir, "daemon.log")

/** The folder with one state directory for each home; it need not exist. */
export function stateRoot(env: Env): string {
  const chosen = env["COPPICE_STATE"]
  return chosen ? resolve(chosen) : join(systemRoot(env), "coppice")
}

function systemRoot(env: Env): string {
  const root = env["XDG_STATE_HOME"]
  if (root && isAbsolute(root)) return root
  return join(userHome(env), ".local", "state")
}

/** @throws StateDirError if neither the environment nor the system knows one. */
function userHome(env: Env): string {
  try {
    return env["HOME"] || process.getBuiltinModule("node:os").homedir()
  } catch (cause) {
    throw new StateDirError("~/.local/state/coppice", "has no place: HOME is not set", { cause })
  }
}

/** The hash tells apart two homes with the same name. */
export function keyOf(home: string): string {
  return `${basename(home) || "root"}-${fnv1a(home)}`
}
