/** Lists all homes of this person, and links from one dashboard to another. */
import { basename, dirname } from "node:path"
import { setImmediate } from "node:timers/promises"
import { findDaemon } from "../../client/daemon-address.ts"
import { DaemonGoneError } from "../../client/errors.ts"
import { exchange } from "../../client/http.ts"
import { grouped } from "../../core/task-groups.ts"
import { LoginLinkDocument } from "../../core/wire/browser.ts"
import type { HomeSummariesDocument } from "../../core/wire/home.ts"
import { addressOf, ROUTES } from "../../core/wire/routes.ts"
import { listStateDirs, readHome } from "../../homes/read-homes.ts"
import { DaemonError } from "../errors.ts"
import type { Home } from "../home.ts"

/** A person reads no more per home on the page of all homes. The home's own page has the rest. */
const NEEDING_MAX = 20

/** Reads their stores one after another, and lets other requests run between them. */
export async function summariseHomes({
  stateDir,
}: Pick<Home, "stateDir">): Promise<HomeSummariesDocument> {
  const homes: HomeSummariesDocument["homes"] = []
  for (const dir of listStateDirs(dirname(stateDir))) {
    const { home, running, problem, tasks } = readHome(dir)
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

/**
 * Asks the other daemon for a login link, as `coppice ui` does in its home. It starts no daemon: the
 * new one would give this daemon's environment to its agents.
 *
 * @param id of a home in the list.
 * @throws {DaemonError} `home.unknown` (user).
 * @throws {DaemonGoneError} (world) when no daemon runs there.
 */
export async function linkToHome(
  { stateDir }: Pick<Home, "stateDir">,
  id: string,
): Promise<LoginLinkDocument> {
  const dir = listStateDirs(dirname(stateDir)).find((dir) => basename(dir) === id)
  if (dir === undefined)
    throw new DaemonError("home.unknown", `There is no home \`${id}\`.`, [
      "`coppice ls --all-homes` lists them.",
    ])
  const daemon = findDaemon(dir)
  const answer = daemon && (await exchange(daemon, { ...addressOf(ROUTES.loginLink.at), body: {} }))
  if (!daemon || answer?.kind !== "answered")
    throw new DaemonGoneError(`No daemon runs in ${readHome(dir).home}.`, [
      "`coppice ui` there starts one.",
    ])
  const link = LoginLinkDocument.parse(answer.body)
  if (new URL(link.url).origin !== daemon.address)
    throw new DaemonGoneError(`The daemon of ${readHome(dir).home} links to another address.`)
  return link
}
