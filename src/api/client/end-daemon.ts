/** Ends a daemon and waits until its process is gone. */

import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, addressOf, ROUTES } from "../wire/routes.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonNotEndedError } from "./errors.ts"
import { exchange } from "./http.ts"
import { isAlive } from "./process-alive.ts"

/** @throws DaemonNotEndedError when it is still there after 30 s. */
export async function endDaemon(daemon: DaemonAddress): Promise<void> {
  const answer = await exchange(daemon, { ...addressOf(ROUTES.down.at), body: {} })
  // Without an identity, that pid may be another program; with one, the daemon is about to end.
  if (answer.kind === "unreachable" && daemon.identity === undefined) return
  if (!(await untilGone(daemon))) throw new DaemonNotEndedError(daemon.pid, END_MS_MAX)
}

/** Only an older daemon is replaced: this program may not read the store of a newer one. */
export const isOlder = (version: string, own: string): boolean =>
  version.localeCompare(own, "en", { numeric: true }) < 0

/** Ends a daemon that has nothing to do. @returns false if it goes on. */
export async function endIfIdle(daemon: DaemonAddress): Promise<boolean> {
  const request = { ...addressOf(ROUTES.down.at), body: { ifIdle: true } }
  const answer = await exchange(daemon, request).catch(() => undefined) // an older one may refuse
  const isEnding = answer?.kind === "answered" && (answer.body as Answer<"down">).ending === true
  return isEnding && (await untilGone(daemon))
}

/** The daemon's agents get a few seconds to end before they are killed. */
const END_MS_MAX = 30_000
const POLL_MS = 25

/** @returns false if it still runs after `waitMsMax`. */
export async function untilGone(
  { pid, identity }: DaemonAddress,
  waitMsMax = END_MS_MAX,
): Promise<boolean> {
  const deadlineMs = performance.now() + waitMsMax
  while (isAlive(pid, identity)) {
    if (performance.now() > deadlineMs) return false
    await sleep(POLL_MS)
  }
  return true
}
