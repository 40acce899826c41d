/** daemon.json in the state directory: where the daemon listens, and the token that it requires. */
import { join } from "node:path"
import { replaceFile } from "./make-private-folder.ts"
import { fs, sea } from "./node-builtins.ts"
import { isAlive } from "./process-alive.ts"
import { readSmall } from "./read-small.ts"

export type DaemonAddress = {
  readonly pid: number
  /** Distinguishes this process from a later one with the same pid, if the system makes that cheap. */
  readonly identity?: string | undefined
  /** `http://127.0.0.1:<port>` */
  readonly address: string
  readonly token: string
  readonly home: string
  /** Distinguishes that folder from a copy of it (moved-home.ts). */
  readonly folder?: string | undefined
  /** Distinguishes the git directory of the repository around it from a new one in its place. */
  readonly repository?: string | undefined
  readonly name?: string | undefined
  /** The version of Coppice that it runs. */
  readonly version: string
  /** Fingerprints of its environment variables, by name (other-daemon.ts). */
  readonly environment?: Readonly<Record<string, string>>
  /** ISO 8601 UTC. */
  readonly startedAt: string
  /** Set when it shut down cleanly, by `coppice down` for example; absent if it died. */
  readonly endedAt?: string
}

const FILE = "daemon.json"

/** The version in this package's package.json, read afresh. */
export function readVersion(): string {
  const text = sea.isSea()
    ? sea.getAsset("package.json", "utf8")
    : fs.readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { version: string }).version
}

/** @returns undefined if no daemon is running. */
export function findDaemon(stateDir: string): DaemonAddress | undefined {
  const last = readLastDaemon(stateDir)
  return last && isAlive(last.pid, last.identity) ? last : undefined
}

/** Whether a daemon ever ran here, so there may be a store to read. */
export function hasEverRun(stateDir: string): boolean {
  return readLastDaemon(stateDir) !== undefined
}

/** Whether the last daemon here shut down cleanly. A command that only reads may replace one that died. */
export function hasShutDown(stateDir: string): boolean {
  return readLastDaemon(stateDir)?.endedAt !== undefined
}

/** @returns undefined if no daemon ever ran. The file is renamed into place, so it is never half-written. */
export function readLastDaemon(stateDir: string): DaemonAddress | undefined {
  try {
    const read = JSON.parse(readSmall(join(stateDir, FILE))) as DaemonAddress | null
    return typeof read?.pid === "number" && typeof read.home === "string" ? read : undefined
  } catch {
    return undefined
  }
}

/** Writes the address, readable only by its owner. */
export function writeDaemonAddress(stateDir: string, address: DaemonAddress): void {
  replaceFile(join(stateDir, FILE), `${JSON.stringify(address, null, 2)}\n`)
}
