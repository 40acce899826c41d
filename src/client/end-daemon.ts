/** Ends a daemon and waits until its process is gone. */
import { addressOf, ROUTES } from "../core/wire/routes.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonNotEndedError } from "./errors.ts"
import { exchange } from "./http.ts"
import { END_MS_MAX, untilGone } from "./until-gone.ts"

/** @throws DaemonNotEndedError when it is still there after 30 s. */
export async function endDaemon(daemon: DaemonAddress): Promise<void> {
  const answer = await exchange(daemon, { ...addressOf(ROUTES.down.at), body: {} })
  // Without an identity, that pid may be another program; with one, the daemon is about to end.
  if (answer.kind === "unreachable" && daemon.identity === undefined) return
  if (!(await untilGone(daemon))) throw new DaemonNotEndedError(daemon.pid, END_MS_MAX)
}
