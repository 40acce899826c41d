/** Lists all homes of this person, and finds the daemon of another one. */
import { basename, dirname } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type DaemonAddress, findDaemon } from "../../api/client/daemon-address.ts"
import { hintsFor } from "../../api/client/http.ts"
import { keyOf } from "../../api/client/state-dir.ts"
import type { Fleet } from "../../api/fleet.ts"
import type { HomeSummariesDocument } from "../../api/wire/home.ts"
import { grouped } from "../../api/wire/task-groups.ts"
import { DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import { findStateDir, homeOf, listStateDirs, readHome } from "./read-homes.ts"

/** A person reads no more per home on the page of all homes. The home's own page has the rest. */
const NEEDING_MAX = 20

/** Reads their stores one after another, and lets other requests run between them. */
export async function summariseHomes({
  stateDir,
  features,
}: Pick<Fleet, "stateDir" | "features">): Promise<HomeSummariesDocument> {
  const homes: HomeSummariesDocument["homes"] = []
  for (const dir of listStateDirs(dirname(stateDir))) {
    const { home, running, problem, tasks } = readHome(dir, features)
    const counts = Object.fromEntries(
      grouped(tasks).map(({ group, tasks }) => [group, tasks.length]),
    )
    const needing = tasks.filter(({ attention }) => attention).slice(0, NEEDING_MAX)
    const own = dir === stateDir
    homes.push({ id: basename(dir), home, running, own, problem, counts, needing })
    await setImmediate()
  }
  return { homes }
}

/** @param home a real path. @returns null if it is not in the list: its state is elsewhere. */
export function idInList({ stateDir }: Pick<Home, "stateDir">, home: string): string | null {
  const id = keyOf(home)
  return findStateDir(dirname(stateDir), id) === undefined ? null : id
}

/**
 * The daemon of a home in the list, to pass on a request. It starts none: a new one would give this
 * daemon's environment to its agents.
 *
 * @param version of this daemon: its page knows the documents of no other one.
 * @throws {DaemonError} `home.unknown` (user), `home.stopped` and `home.other_version` (world).
 */
export function findOtherDaemon(
  { stateDir }: Pick<Home, "stateDir">,
  id: string,
  version: string | null,
): DaemonAddress {
  const dir = findStateDir(dirname(stateDir), id)
  if (dir === undefined)
    throw new DaemonError("home.unknown", `There is no home \`${id}\`.`, [
      "`coppice ls --all-homes` lists them.",
    ])
  const daemon = findDaemon(dir)
  if (!daemon || !LOOPBACK.test(daemon.address)) throw notRunning(homeOf(dir))
  if (daemon.version === version) return daemon
  throw new DaemonError(
    "home.other_version",
    `The daemon of ${daemon.home} is of version ${daemon.version}, and this one of ${version}.`,
    ["`coppice down` and `coppice up -d` there start the new version; its tasks continue."],
  )
}

const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+$/

export const notRunning = (home: string): DaemonError =>
  new DaemonError("home.stopped", `No daemon runs in ${home}.`, [
    "`coppice up -d` there starts one.",
  ])

/** @param why continues the sentence. */
export const notAnswering = ({ home, pid }: DaemonAddress, why: string): DaemonError =>
  new DaemonError("home.silent", `The daemon of ${home} did not answer: ${why}.`, hintsFor(pid))
