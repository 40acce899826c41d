/** Moves the state of a home to the home's new place, or sets it aside for a new folder. */
import { dirname, join } from "node:path"
import { findDaemon } from "./daemon-address.ts"
import { endDaemon } from "./end-daemon.ts"
import type { HomeReplacedError, MovedHome } from "./moved-home.ts"
import { fs } from "./node-builtins.ts"
import { databasePath, keyOf } from "./state-dir.ts"

/**
 * Ends the daemon of the old place, then renames the state directory: one step, which happens or
 * does not. The next daemon mends the links of worktrees and the paths in the store.
 *
 * @throws DaemonNotEndedError
 */
export async function adoptState({ state, to }: MovedHome): Promise<void> {
  const daemon = findDaemon(state)
  if (daemon) await endDaemon(daemon)
  const dir = join(dirname(state), keyOf(to))
  if (fs.existsSync(dir) && !isStore(dir)) removeLeft(dir)
  try {
    fs.renameSync(state, dir)
  } catch (error) {
    if (!isStore(dir)) throw error // else another command was faster
  }
}

/**
 * Ends the daemon of the former folder, then renames its state directory. The new folder begins
 * without a state.
 *
 * @throws DaemonNotEndedError
 */
export async function setAside({ state, aside }: HomeReplacedError): Promise<void> {
  const daemon = findDaemon(state)
  if (daemon) await endDaemon(daemon)
  try {
    fs.renameSync(state, aside)
  } catch (error) {
    if (!isStore(aside)) throw error // else another command was faster
  }
}

const isStore = (dir: string): boolean => fs.existsSync(databasePath(dir))

/** Removes the state of an earlier folder without tasks: its approvals do not hold for this one. */
function removeLeft(dir: string): void {
  const aside = `${dir}.${process.pid}`
  fs.renameSync(dir, aside)
  if (isStore(aside))
    fs.renameSync(aside, dir) // another command was faster
  else fs.rmSync(aside, { recursive: true })
}
