/**
 * Answers one reading request of a home whose daemon was ended, by the routes of the daemon.
 *
 * The store is open for reading only, and no loop starts. So nothing goes on that `coppice down`
 * has interrupted.
 */
import { randomBytes } from "node:crypto"
import { pino } from "pino"
import { AgentAccess } from "../api/agent-tokens.ts"
import { databasePath } from "../api/client/state-dir.ts"
import type { Fleet } from "../api/fleet.ts"
import { BrowserAccess } from "../api/server/browser-access.ts"
import { createServer } from "../api/server/server.ts"
import { BugError } from "../base/errors.ts"
import type { Rest } from "../base/retry.ts"
import { LiveConfig } from "../config/live/live-config.ts"
import { approveByRecord } from "../features/trust/require-trust.ts"
import { readDb } from "../kernel/store/open.ts"
import { compose } from "./compose.ts"
import { leaveWorkOffPath } from "./own-path.ts"

/** Why a task of an ended daemon does not go on. */
const ENDED: Rest = {
  text: "the daemon was ended",
  retryAtMs: null,
  unblock: "`coppice up -d` continues it",
  isEnded: true,
}

/** The client asks only a daemon that runs for its status and its operations. */
const neverAsked = (): never => {
  throw new BugError("a daemon that was ended has neither a status nor an operation")
}

/** @param home a real path. @param path of a GET request. @param state the state folder of the home. */
export async function readEnded(home: string, path: string, state: string) {
  using store = readDb(databasePath(state))
  const token = randomBytes(32).toString("hex")
  const config = leaveWorkOffPath(home, new LiveConfig(home, state))
  approveByRecord(state)
  const composed = compose({
    home,
    config,
    stateDir: state,
    db: store.db,
    world: { nowMs: Date.now, dice: Math.random, point: () => {} },
    log: pino({ enabled: false }),
    agents: new AgentAccess(token),
  })
  const findRest: Fleet["findRest"] = (task, landing) =>
    composed.fleet.findRest(task, landing) ?? ENDED
  const server = await createServer({
    fleet: { ...composed.fleet, findRest },
    token,
    browsers: new BrowserAccess(composed.fleet),
    // A request is answered however long it takes.
    operations: { carryOut: (_request, _reply, run) => run(), answer: neverAsked },
    status: neverAsked,
    down: neverAsked,
    isEnding: () => false,
    requireApproval: () => {},
    onBug: () => {},
  })
  try {
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode, body } = await server.inject({ method: "GET", url: path, headers })
    return { kind: "answered", status: statusCode, text: body } as const
  } finally {
    await composed.stop()
    await server.close()
  }
}
