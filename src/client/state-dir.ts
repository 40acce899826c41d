/**
 * Where a home's state lies: database, lock, log, the daemon's address.
 *
 * Outside of every repository, so that no `git clean`, watcher or agent reaches it.
 */
import { hash } from "node:crypto"
import { accessSync, constants, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { basename, isAbsolute, join, resolve } from "node:path"
import { StateDirError } from "./errors.ts"

/** Enough of a hash that two homes of one name never meet. */
const KEY_HEX_LENGTH = 12

/**
 * The state directory of `home` (a real path), made for its owner alone where it is missing.
 *
 * COPPICE_STATE is taken as it is; XDG_STATE_HOME, which must be absolute, holds one per home.
 *
 * @throws StateDirError
 */
export function stateDir(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env["COPPICE_STATE"]
  const dir = chosen ? resolve(chosen) : join(stateRoot(env), "coppice", keyOf(home))
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    accessSync(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StateDirError(dir, error)
  }
  return dir
}

function stateRoot(env: Readonly<Record<string, string | undefined>>): string {
  const root = env["XDG_STATE_HOME"]
  if (root && isAbsolute(root)) return root
  return join(env["HOME"] || homedir(), ".local", "state")
}

function keyOf(home: string): string {
  const name = basename(home) || "root"
  return `${name}-${hash("sha256", home).slice(0, KEY_HEX_LENGTH)}`
}
