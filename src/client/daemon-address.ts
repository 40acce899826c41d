/** daemon.json in the state directory: where the daemon listens, and the token that it requires. */
import { join } from "node:path"
import { isAlive } from "./alive.ts"
import { fs, sea } from "./builtins.ts"
import { replaceFile } from "./private-folder.ts"

export type DaemonAddress = {
  readonly pid: number
  /** Distinguishes its process from a later one with that pid, if the system can tell cheaply. */
  readonly identity?: string | undefined
  /** `http://127.0.0.1:<port>` */
  readonly address: string
  readonly token: string
  /** Real path. */
  readonly home: string
  /** Distinguishes that folder from a copy (moved-home.ts). */
  readonly folder?: string | undefined
  /** The home's permanent name. */
  readonly name?: string | undefined
  /** The version that it was started with. */
  readonly version: string
  /** Marks of its variables, by name (other-daemon.ts). */
  readonly environment?: Readonly<Record<string, string>>
  /** ISO 8601 UTC. */
  readonly startedAt: string
  /** Set when it ended in order, by `coppice down` for example; absent if it died. */
  readonly endedAt?: string
}

const FILE = "daemon.json"

/** The version of this package, as its package.json says now. */
export function readVersion(): string {
  const text = sea.isSea()
    ? sea.getAsset("package.json", "utf8")
    : fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { version: string }).version
}

/** The address of the daemon; undefined without one, or after it died. */
export function findDaemon(stateDir: string): DaemonAddress | undefined {
  const last = readLast(stateDir)
  return last && isAlive(last.pid, last.identity) ? last : undefined
}

/** Whether a daemon ever ran here, so that there may be a store to read. */
export function hasRun(stateDir: string): boolean {
  return readLast(stateDir) !== undefined
}

/** Whether the last daemon here ended in order. One that died is followed by the next at once. */
export function hasEnded(stateDir: string): boolean {
  return readLast(stateDir)?.endedAt !== undefined
}

/** The last daemon. Without a file, no daemon ever ran. The file is renamed into place, so it is never torn. */
export function readLast(stateDir: string): DaemonAddress | undefined {
  try {
    return JSON.parse(fs.readFileSync(join(stateDir, FILE), "utf8")) as DaemonAddress
  } catch {
    return undefined
  }
}

/** Publishes the address, readable by its owner alone. */
export function writeDaemonAddress(stateDir: string, address: DaemonAddress): void {
  replaceFile(join(stateDir, FILE), `${JSON.stringify(address, null, 2)}\n`)
}
