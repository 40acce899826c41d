/** Removes folders of Coppice outside of repositories: the state of homes, and compiled code. */

import { rmdirSync, rmSync, statSync } from "node:fs"
import { findDaemon } from "../../api/client/daemon-address.ts"
import { endDaemon } from "../../api/client/end-daemon.ts"
import { cacheFolder, findFaultAbove } from "../../api/client/make-private-folder.ts"
import { stateDirOf, stateRoot } from "../../api/client/state-dir.ts"
import { folderFault } from "../../base/private-folder.ts"
import type { Env } from "../../config/substitute.ts"

/** Ends the daemon of a home, which may be gone. @throws DaemonNotEndedError */
export async function endDaemonOf(home: string, env: Env): Promise<void> {
  const daemon = findDaemon(stateDirOf(home, env))
  if (daemon) await endDaemon(daemon)
}

/** @param stateDir of a home without a daemon, whose lock is held. */
export function removeStateDir(stateDir: string): void {
  rmSync(stateDir, { recursive: true, force: true })
}

/** The folder of compiled code; null if there is none of this user alone. */
export function findCache(env: Env): string | null {
  const path = cacheFolder(env)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || folderFault(found, process.geteuid?.()) !== undefined) return null
  return findFaultAbove(path) === undefined ? path : null
}

/** @param cache from {@link findCache}. Node writes it again when any command runs. */
export function removeUserFolders(cache: string, env: Env): void {
  rmSync(cache, { recursive: true, force: true })
  try {
    rmdirSync(stateRoot(env))
  } catch {
    // the folder is gone, or holds something else
  }
}
