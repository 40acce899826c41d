/**
 * Where a home's state lies: database, lock, log, the daemon's address.
 *
 * Outside of every repository, so that no `git clean`, watcher or agent reaches it.
 */
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { fnv1a } from "../core/hash.ts"
import { fs } from "./builtins.ts"
import { StateDirError } from "./errors.ts"

/**
 * The state directory of `home` (a real path), made for its owner alone where it is missing.
 *
 * COPPICE_STATE, else `coppice` in XDG_STATE_HOME (which must be absolute), holds one per home: so
 * a variable that was exported once never makes two homes share a database.
 *
 * @throws StateDirError
 */
export function stateDir(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const dir = join(stateRoot(env), keyOf(home))
  try {
    makeFolder(dir)
    fs.accessSync(`${dir}/.`, fs.constants.W_OK | fs.constants.X_OK) // of a file, this says ENOTDIR
  } catch (error) {
    throw new StateDirError(dir, error)
  }
  return dir
}

/** Not by Node's `recursive`, which never returns where a folder that is there takes none, as /proc. */
function makeFolder(dir: string): void {
  const missing: string[] = []
  for (let at = dir; !fs.existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const path of missing) {
    try {
      fs.mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error // another one was quicker
    }
  }
}

/** Where in its state directory a home's database is. */
export const databasePath = (stateDir: string): string => join(stateDir, "coppice.db")

/** The folder with one state directory for each home; it need not exist. */
export function stateRoot(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env["COPPICE_STATE"]
  return chosen ? resolve(chosen) : join(systemRoot(env), "coppice")
}

function systemRoot(env: Readonly<Record<string, string | undefined>>): string {
  const root = env["XDG_STATE_HOME"]
  if (root && isAbsolute(root)) return root
  return join(env["HOME"] || process.getBuiltinModule("node:os").homedir(), ".local", "state")
}

/** The hash keeps two homes of one name apart. */
function keyOf(home: string): string {
  return `${basename(home) || "root"}-${fnv1a(home)}`
}
