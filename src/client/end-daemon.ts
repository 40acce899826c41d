/** Tells a daemon to end and waits until its process is gone. */
import { isAlive } from "./alive.ts"
import type { DaemonAddress } from "./daemon-address.ts"
import { DaemonNotEndedError } from "./errors.ts"
import { exchange } from "./http.ts"

/** Its agents get a few seconds to end by themselves before they are made to. */
const END_MS_MAX = 30_000
const POLL_MS = 25

/** @throws DaemonNotEndedError when it is still there after 30 s. */
export async function endDaemon(daemon: DaemonAddress): Promise<void> {
  const answer = await exchange(daemon, { method: "POST", path: "/down", body: {} })
  if (answer.kind === "unreachable") return // the process of that id is no daemon of ours

  const deadlineMs = Date.now() + END_MS_MAX
  while (isAlive(daemon.pid)) {
    if (Date.now() > deadlineMs) throw new DaemonNotEndedError(daemon.pid, END_MS_MAX)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
