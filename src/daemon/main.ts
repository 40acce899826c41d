/**
 * The daemon of one home: takes the lock, ends processes of a dead one, serves, drives the loops.
 *
 * There is one per home (its lock is released by its death), and it owns every process that it
 * starts. It keeps nothing in memory that the next one would miss, so `kill -9` at any moment is
 * like `down`.
 */
import { randomBytes } from "node:crypto"
import { closeSync, fstatSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { FastifyInstance } from "fastify"
import type { Logger } from "pino"
import { AgentAccess } from "../api/agent-tokens.ts"
import {
  type DaemonAddress,
  findDaemon,
  readLastDaemon,
  readVersion,
  writeDaemonAddress,
} from "../api/client/daemon-address.ts"
import { findFolderId, findRepositoryId } from "../api/client/folder-id.ts"
import { hashEnvironment } from "../api/client/other-daemon.ts"
import { findIdentity } from "../api/client/process-alive.ts"
import { daemonLogPath, databasePath, stateDir } from "../api/client/state-dir.ts"
import { limitsDocument } from "../api/documents/agent-limits.ts"
import { iso } from "../api/documents/row-documents.ts"
import type { Watch } from "../api/feature.ts"
import type { Fleet } from "../api/fleet.ts"
import { BrowserAccess } from "../api/server/browser-access.ts"
import { Operations } from "../api/server/operations.ts"
import { Outer } from "../api/server/outer-server.ts"
import { createServer } from "../api/server/server.ts"
import type { DaemonOptions, OuterAddress } from "../api/wire/daemon-options.ts"
import type { StatusDocument } from "../api/wire/home.ts"
import { type ErrorDocument, exitCodeFor, toErrorDocument } from "../base/errors.ts"
import type { World } from "../base/world.ts"
import { LiveConfig } from "../config/live/live-config.ts"
import { approveByRecord, startWhenApproved } from "../features/trust/require-trust.ts"
import { DaemonError } from "../kernel/errors.ts"
import { guardFencesIf } from "../kernel/git/start/programs.ts"
import { type Db, type FileLock, openDb, tryLockFile } from "../kernel/store/open.ts"
import { countTasks } from "../kernel/tasks/rows/find.ts"
import { listToClean } from "../kernel/tasks/rows/list-due.ts"
import { type Composed, compose } from "./compose.ts"
import { FEATURES } from "./features.ts"
import { closeInherited } from "./inherited-descriptors.ts"
import { createLog } from "./log.ts"
import { leaveWorkOffPath } from "./own-path.ts"
import { endLeftProcesses } from "./processes.ts"
import { shareLookups } from "./shared-lookups.ts"
import { endWhenMoved } from "./watch/home-watch.ts"
import { endWhenIdle, isIdle } from "./watch/idle.ts"

const world: World = { nowMs: Date.now, dice: Math.random, point: () => {} }

/** Runs until it is asked to end. @returns the exit code. */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  try {
    closeInherited()
    shareLookups()
    const daemon = await start(options)
    tellStarter({ ready: { address: daemon.address } })
    options.onReady?.(daemon.status())
    await daemon.ended
    return 0
  } catch (error) {
    tellStarter(toErrorDocument(error))
    throw error
  }
}

type Running = {
  readonly address: string
  status(): StatusDocument
  readonly ended: Promise<void>
}

async function start({ home, fromCommand, outer: beyond }: DaemonOptions): Promise<Running> {
  const state = stateDir(home, process.env)
  const lock = lockHome(state, home)
  const log = createLog(process.env, { path: daemonLogPath(state), isStderr: fromCommand })
  endOnBugs(log)
  const token = randomBytes(32).toString("hex")
  const environment = hashEnvironment(process.env, token) // as a command gave it
  const config = leaveWorkOffPath(home, new LiveConfig(home, state))
  guardFencesIf(() => config.current.agents.some(({ containment: { by } }) => by !== "none"))
  const db = await openStore(home, state)
  const watches = await beginWatches(db, log)
  const agents = new AgentAccess(token)
  const composed = compose({ home, stateDir: state, config, db, world, log, agents })
  const { fleet } = composed
  const outer = beyond && outerAt(beyond, fleet)
  // Now: an upgrade may replace the package under a running daemon.
  const [startedAtMs, version] = [world.nowMs(), readVersion()]
  const ending = Promise.withResolvers<void>()
  let isEnding = false
  const startEnding = () => {
    isEnding = true
    ending.resolve()
  }
  const resting = { problems: () => restingCleanUps(db, fleet) }
  const troubled = [config, ...watches.toReversed(), resting, ...fleet.features]
  const facts = { fleet, version, startedAtMs, troubled }
  const status = () => describeStatus(facts, agents.address)
  const [operations, browsers] = [new Operations(fleet), new BrowserAccess(fleet)]
  const server = await createServer({
    fleet,
    operations,
    token,
    browsers,
    outer,
    isLasting: true,
    down: ({ ifIdle = false }) => {
      if (!ifIdle || (fromCommand && !operations.isWorking && isIdle(db))) startEnding()
      return isEnding
    },
    isEnding: () => isEnding,
    requireApproval: () => void (config.isUnapproved && config.checked()),
    onBug: (error) => log.error({ err: error }, "a request failed"),
    status,
  })
  await outer?.listen() // before the other: an error leaves nothing open
  const address = await listen(server, state)
  agents.address = address
  const place = { home, ...idsOf(home), name: fleet.name }
  const published = { address, token, environment, ...place, version, startedAt: iso(startedAtMs) }
  publish(state, published)
  const stopWaiting = startWhenApproved(config, composed.start)
  log.info({ home, address }, "the daemon is ready")

  endOnSignals(startEnding)
  const stopLooking = endWhenMoved(home, startEnding)
  const isWorking = () => operations.isWorking || browsers.isWatched || isUsed(fleet)
  const stopIdle = fromCommand ? endWhenIdle(db, { isWorking, end: startEnding }) : () => {}
  const ended = ending.promise.then(async () => {
    stopLooking()
    stopIdle()
    for (const watch of watches) await watch.stop()
    stopWaiting()
    await end(server, composed)
    publish(state, { ...published, ...endOf(place) })
    lock.release()
    db.close()
    log.info("the daemon has ended")
  })
  return { address, status, ended }
}

/** @throws {DaemonError} `daemon.address` (user), also if no browser could name the address. */
function outerAt(beyond: OuterAddress, fleet: Fleet): Outer {
  if (beyond.tls || fleet.config().dashboard.url !== undefined) return new Outer(beyond)
  throw new DaemonError("daemon.address", `No proxy is known for ${beyond.host}.`, [
    "Set `dashboard.url` in coppice.yml to the https address of the proxy.",
  ])
}

/** At the address of the last daemon, so that its open pages find this one; else at any free port. */
async function listen(server: FastifyInstance, state: string): Promise<string> {
  const host = "127.0.0.1"
  const last = readLastDaemon(state)
  const port = Number(last && new URL(last.address).port)
  const isTaken = ({ code }: NodeJS.ErrnoException) => code === "EADDRINUSE" || code === "EACCES"
  try {
    if (port) return await server.listen({ host, port })
  } catch (error) {
    if (!isTaken(error as NodeJS.ErrnoException)) throw error
  }
  return await server.listen({ host, port: 0 })
}

/** A person may use the address in a notification at any time, and starts no daemon by that. */
const isUsed = (fleet: Fleet) =>
  fleet.features.some((feature) => feature.isUsed?.()) || fleet.config().dashboard.url !== undefined

const idsOf = (home: string): Pick<DaemonAddress, "folder" | "repository"> => ({
  folder: findFolderId(home),
  repository: findRepositoryId(home),
})

/** A home that moved continues in its new place, as after a death. */
function endOf({ home, folder }: Pick<DaemonAddress, "home" | "folder">) {
  return findFolderId(home) === folder ? { endedAt: iso(world.nowMs()) } : {}
}

async function openStore(home: string, state: string): Promise<Db> {
  approveByRecord(state)
  const db = openDb(databasePath(state))
  await endLeftProcesses(db)
  for (const feature of FEATURES) await feature.open?.({ db, home, stateDir: state })
  return db
}

async function beginWatches(db: Db, log: Logger): Promise<readonly Watch[]> {
  const watches: Watch[] = []
  for (const feature of FEATURES) {
    const watch = await feature.watch?.({ db, log })
    if (watch) watches.push(watch)
  }
  return watches
}

type Troubled = { problems?(nowMs: number): readonly string[] }

type Facts = {
  readonly fleet: Fleet
  readonly version: string
  readonly startedAtMs: number
  readonly troubled: readonly Troubled[]
}

type OfFeatures = Pick<StatusDocument, "pool" | "sources" | "schedules">

function describeStatus(facts: Facts, address: string): StatusDocument {
  const { fleet, version, startedAtMs, troubled } = facts
  const { report } = fleet.maintenance
  const problems = troubled.flatMap((one) => one.problems?.(world.nowMs()) ?? [])
  const told = fleet.features.map((feature) => feature.status?.())
  const { pool, sources, schedules }: OfFeatures = Object.assign({}, ...told)
  return {
    running: true,
    pid: process.pid,
    address,
    home: fleet.home,
    version,
    uptimeS: Math.round((world.nowMs() - startedAtMs) / 1000),
    tasks: countTasks(fleet.db),
    pool,
    sources,
    schedules,
    limits: limitsDocument(fleet),
    maintenance: { ...report, problems: [...problems, ...report.problems] },
  }
}

type Published = Omit<DaemonAddress, "pid" | "identity">

function publish(state: string, at: Published): void {
  const { pid } = process
  writeDaemonAddress(state, { pid, identity: findIdentity(pid), ...at })
  for (const feature of FEATURES) feature.publish?.({ stateDir: state, ...at })
}

/** An uncaught error leaves us in an unknown state; the guard and the next start clean up. */
function endOnBugs(log: Logger): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "a bug in Coppice ends the daemon")
    process.exit(exitCodeFor("bug"))
  })
}

/** @throws {DaemonError} `daemon.running` (user) with the address of the running daemon. */
function lockHome(state: string, home: string): FileLock {
  const lock = tryLockFile(join(state, "home.lock"))
  if (lock) return lock
  const address = findDaemon(state)?.address
  const where = address === undefined ? "" : ` at ${address}`
  throw new DaemonError("daemon.running", `A daemon of ${home} is running already${where}.`, [
    "`coppice status` shows it; `coppice down` ends it.",
  ])
}

/**
 * A second signal during the shutdown changes nothing, since the shutdown has a time limit anyway.
 */
function endOnSignals(end: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end)
}

async function end(server: FastifyInstance, { stop }: Composed): Promise<void> {
  await stop()
  await server.close()
}

const DESCRIPTOR = 3

export function tellStarter(
  said: { readonly ready: { readonly address: string } } | ErrorDocument,
): void {
  try {
    if (!fstatSync(DESCRIPTOR).isFIFO() && !fstatSync(DESCRIPTOR).isSocket()) return
    writeSync(DESCRIPTOR, `${JSON.stringify(said)}\n`)
    closeSync(DESCRIPTOR)
  } catch {
    // Started by hand, without that descriptor; or the starting command has gone.
  }
}

/** @returns a sentence for each, for a person. */
function restingCleanUps(db: Db, { findRest }: Pick<Fleet, "findRest">): string[] {
  return listToClean(db).flatMap((id) => {
    const rest = findRest(id, undefined)
    const isTried = typeof rest?.retryAtMs === "number"
    return isTried ? [`The clean-up of task ${id}, which was cancelled, fails: ${rest.text}`] : []
  })
}
