/**
 * Starts a daemon in the background and waits until it listens.
 *
 * The daemon reports on its descriptor 3, in one line of JSON, that it is ready or why it is not. Two
 * commands may do this at the same moment: one daemon gets the home, the other reports that the home is
 * taken, and both commands use the first.
 */
import { spawn } from "node:child_process"
import { closeSync, openSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { ErrorDocument } from "../../base/errors.ts"
import { type DaemonAddress, findDaemon } from "./daemon-address.ts"
import { DaemonNotStartedError, RemoteError } from "./errors.ts"
import { sea } from "./node-builtins.ts"
import { daemonLogPath } from "./state-dir.ts"

export type DaemonStart = {
  readonly home: string
  readonly stateDir: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The program to start with `up --from-command`; {@link daemonProgram}, except under test. */
  readonly launcher?: string
}

/** The script that Node runs; tests name that of their bundle. The single executable runs itself. */
export const daemonProgram: { launcher: string | undefined } = {
  launcher: sea.isSea()
    ? undefined
    : fileURLToPath(new URL("../../../bin/coppice.js", import.meta.url)),
}
/**
 * With room for more garbage, a daemon that has done 500 tasks holds 50 MiB more of memory, for no gain in
 * speed (`endurance-memory` of the bench). The single executable has it built in.
 */
const NODE_FLAGS = sea.isSea() ? [] : ["--max-semi-space-size=4"]
/** A first start migrates a database and ends what an earlier daemon left. */
const START_MS_MAX = 30_000
const TOO_LATE = `The daemon is not ready after ${START_MS_MAX / 1000} s.`
const POLL_MS = 50
/** The error of a daemon when another one has the home. */
const TAKEN = "daemon.running"

/** @throws RemoteError the daemon's error; DaemonNotStartedError without one. */
export async function startDaemon(start: DaemonStart): Promise<DaemonAddress> {
  const said = await spawnAndListen(start)
  if ("error" in said && said.error.code !== TAKEN) throw new RemoteError(said.error)

  const deadlineMs = performance.now() + START_MS_MAX
  for (;;) {
    const daemon = findDaemon(start.stateDir)
    if (daemon) return daemon
    if (performance.now() > deadlineMs) throw new DaemonNotStartedError(TOO_LATE, logOf(start))
    await sleep(POLL_MS)
  }
}

const logOf = ({ stateDir }: DaemonStart) => daemonLogPath(stateDir)

type Said = { readonly ready: { readonly address: string } } | ErrorDocument

async function spawnAndListen(start: DaemonStart): Promise<Said> {
  const { home, launcher = daemonProgram.launcher } = start
  const program = launcher === undefined ? [] : [launcher]
  const log = openSync(logOf(start), "a", 0o600)
  const args = [...NODE_FLAGS, ...program, "up", "--from-command", "--home", home]
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: daemonEnvironment(start),
    detached: true,
    stdio: ["ignore", log, log, "pipe"],
  })
  closeSync(log)
  child.unref()
  const pipe = child.stdio[3] as Readable
  const timer = setTimeout(() => pipe.destroy(new Error("too late")), START_MS_MAX)
  try {
    return parse(await text(pipe), start)
  } catch (error) {
    if (error instanceof DaemonNotStartedError) throw error
    throw new DaemonNotStartedError(TOO_LATE, logOf(start))
  } finally {
    clearTimeout(timer)
  }
}

function parse(line: string, start: DaemonStart): Said {
  if (line.trim() !== "") return JSON.parse(line) as Said
  // Indented lines are stacks; the line before them has the error.
  const told = readFileSync(logOf(start), "utf8")
    .split("\n")
    .filter((text) => /^\S/.test(text))
  const last = told.at(-1) ?? "it said nothing"
  throw new DaemonNotStartedError(`The daemon ended at once: ${last}`, logOf(start))
}

/** Settings of the daemon itself; the other COPPICE_ variables belong to a task. */
const SETTINGS = ["COPPICE_STATE", "COPPICE_CLAUDE", "COPPICE_TRACE"]

/**
 * A command may run inside an agent's session: the variables of that session must not mark the daemon.
 * A relative COPPICE_STATE starts at the folder of the command, and the daemon runs in another one.
 */
function daemonEnvironment({ env }: DaemonStart): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith("COPPICE_") || SETTINGS.includes(name),
  )
  const root = env["COPPICE_STATE"]
  return { ...Object.fromEntries(kept), ...(root && { COPPICE_STATE: resolve(root) }) }
}
