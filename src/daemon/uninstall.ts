/**
 * Removes Coppice from one home: from its repositories, and then its state directory.
 *
 * No daemon of the home may run. The state goes last, and only if everything that should go is gone:
 * so a run that was cut short is repeated with the same records.
 */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pino } from "pino"
import { AgentAccess } from "../api/agent-tokens.ts"
import { findDaemon, readLastDaemon } from "../api/client/daemon-address.ts"
import { isAside, refuseReplaced } from "../api/client/moved-home.ts"
import { databasePath, stateDir, stateDirOf, stateRoot } from "../api/client/state-dir.ts"
import type { UninstalledHome, UninstallItem } from "../api/wire/shell.ts"
import { AppError } from "../base/errors.ts"
import { shellWord } from "../base/text/shell-word.ts"
import { LiveConfig } from "../config/live/live-config.ts"
import { endLeftContainers } from "../features/containment/left-containers.ts"
import { approveByRecord } from "../features/trust/require-trust.ts"
import { readTrust } from "../features/trust/trust-record.ts"
import { goes, stays } from "../features/uninstall/leave-repositories.ts"
import { removeStateDir } from "../features/uninstall/remove-folders.ts"
import { DaemonError } from "../kernel/errors.ts"
import { commonDirOf, findGitDir } from "../kernel/git/start/git-dir.ts"
import { findHalfMoved } from "../kernel/landing/rows/list.ts"
import { listKnownRepos } from "../kernel/store/known-repos.ts"
import { type Db, type FileLock, openDb, readDb, tryLockFile } from "../kernel/store/open.ts"
import { pathInside } from "../kernel/workspaces/worktrees-folder.ts"
import { compose } from "./compose.ts"
import { leaveWorkOffPath } from "./own-path.ts"
import { endLeftProcesses } from "./processes.ts"

type Request = { readonly isDryRun: boolean }

/** @param home a real path. @returns with a problem if nothing was done. */
export async function uninstallHome(home: string, { isDryRun }: Request): Promise<UninstalledHome> {
  try {
    return { home, items: await uninstall(home, isDryRun), problem: null }
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return { home, items: [], problem: [error.message, ...error.hints].join("\n") }
  }
}

async function uninstall(home: string, isDryRun: boolean): Promise<UninstallItem[]> {
  if (isAside(home)) return [goneHome(home)] // the folder is unknown: `readHomes` names the state
  const state = stateDirOf(home, process.env)
  if (!existsSync(home)) return [goneHome(state)]
  refuseReplaced(state, home)
  const hadState = existsSync(state)
  if (!hadState) stateDir(home, process.env) // reading the home needs one
  using lock = hadState && !isDryRun ? lockHome(state, home) : undefined
  using store = openStore(state, isDryRun)
  const daemon = isDryRun ? findDaemon(state) : undefined
  if (!daemon) refuseHalfMoved(store.db)
  const items = [
    ...(daemon ? [goes("daemon", `pid ${daemon.pid}`, "it ends, with its agents", null)] : []),
    ...(await leave({ home, state, db: store.db, isDryRun })),
  ]
  // The state directory goes again, unless a command has begun a task since.
  if (!hadState && !existsSync(databasePath(state))) removeStateDir(state)
  if (!hadState) return items
  const isLeft = items.some(({ removed }) => removed === false)
  if (!isDryRun && !isLeft) {
    store.close()
    removeStateDir(state) // still locked: a daemon that starts now finds no half of it
    lock?.release()
  }
  const why = isLeft
    ? "it stays, so that the next run can remove the rest"
    : "tasks, logs and approvals of this home"
  return [...items, goes("state", state, why, isDryRun ? null : !isLeft)]
}

/** Only the state says which worktrees elsewhere are the home's. */
function goneHome(state: string): UninstallItem {
  const why = "the folder of this home is gone; if it was moved, run this there"
  return stays("state", state, why, [`to give up: \`rm -r ${shellWord(state)}\``])
}

function lockHome(state: string, home: string): FileLock {
  const lock = tryLockFile(join(state, "home.lock"))
  if (lock) return lock
  throw new DaemonError("daemon.running", `A daemon of ${home} is running.`, ["coppice down"])
}

type Store = Disposable & { readonly db: Db; close(): void }

/** Without a state directory there are no records; refs and files may still be there. */
function openStore(state: string, isDryRun: boolean): Store {
  const path = databasePath(state)
  const db = existsSync(path) ? (isDryRun ? readDb(path).db : openDb(path)) : openDb(":memory:")
  const close = () => void db.close()
  return { db, close, [Symbol.dispose]: close }
}

/** @throws {DaemonError} `landing.refused` (user): git cannot finish it without Coppice. */
function refuseHalfMoved(db: Db): void {
  const task = findHalfMoved(db)
  if (task === undefined) return
  throw new DaemonError(
    "landing.refused",
    `The landing of task ${task} was cut off while it moved a branch.`,
    ["`coppice up -d` finishes it; then run this again."],
  )
}

type Place = {
  readonly home: string
  readonly state: string
  readonly db: Db
  readonly isDryRun: boolean
}

async function leave({ home, state, db, isDryRun }: Place): Promise<UninstallItem[]> {
  if (!isDryRun) {
    await endLeftProcesses(db)
    await endLeftContainers(state)
  }
  approveByRecord(state)
  const config = leaveWorkOffPath(home, new LiveConfig(home, state))
  const composed = compose({
    home,
    config,
    stateDir: state,
    db,
    world: { nowMs: Date.now, dice: Math.random, point: () => {} },
    log: pino({ enabled: false }),
    agents: new AgentAccess(randomBytes(32).toString("hex")),
  })
  try {
    const isShared = (repo: string) => isUsedElsewhere(repo, { home, state })
    const isApproved = !config.isUnapproved
    return await composed.fleet.maintenance.leave({ isDryRun, isApproved, isShared })
  } finally {
    await composed.stop()
  }
}

/** Whether another home has tasks, worktrees or approvals in the repository, or is in it. In doubt, true. */
function isUsedElsewhere(repo: string, own: Pick<Place, "home" | "state">): boolean {
  const root = stateRoot(process.env)
  const gitDir = findGitDir(repo)
  const others = (existsSync(root) ? readdirSync(root) : [])
    .map((name) => join(root, name))
    .filter((dir) => dir !== own.state)
  return others.some((dir) => {
    const home = readLastDaemon(dir)?.home
    if (home === repo || (home !== undefined && pathInside(repo, home) !== undefined)) return true
    if (gitDir !== undefined && readTrust(dir).git[commonDirOf(gitDir)] !== undefined) return true
    return existsSync(databasePath(dir)) && hasRecords(dir, repo)
  })
}

function hasRecords(state: string, repo: string): boolean {
  try {
    using store = readDb(databasePath(state))
    return listKnownRepos(store.db).includes(repo)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return true
  }
}
