/**
 * The daemon's log: JSON lines without the secrets that an error may carry. They go to stderr, and to `daemon.log` in
 * the state directory, which is stderr of a daemon in the background.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs"
import { type DestinationStream, type Logger, pino } from "pino"
import { redact, secretsOf } from "../base/text/redact.ts"
import { escapeJson } from "../base/text/shown.ts"

type Env = Readonly<Record<string, string | undefined>>

/** An error rarely has more causes, and a circle of them ends here. */
const CAUSES_MAX = 5
/** Years of an ordinary daemon; an error that repeats every second fills it in a week. */
const BYTES_MAX = 8 * 1024 * 1024
/** The end of a log that has grown larger. */
const BYTES_KEPT = 1024 * 1024
/** So much is written between two looks at the size. */
const BYTES_BETWEEN = 1024 * 1024

type LogFile = {
  readonly path: string
  /** The command that started the daemon has opened it as stderr. */
  readonly isStderr: boolean
}

export function createLog(env: Env, { path, isStderr }: LogFile): Logger {
  trimLog(path)
  const targets = [2, ...(isStderr ? [] : [path])].map((dest) => {
    const target = pino.destination({ dest, append: true, sync: true, mode: 0o600 })
    target.on("error", () => {}) // the log's disk is full: the daemon works on without a log
    return target
  })
  const bound = boundLog(path)
  const write = (line: string) => {
    for (const to of targets) to.write(line)
    bound(line)
  }
  return createLogTo({ write }, env)
}

/** @returns the function to call after each line. */
export function boundLog(path: string, bytesBetween = BYTES_BETWEEN, trim = trimLog) {
  let bytes = 0
  return (line: string): void => {
    bytes += Buffer.byteLength(line)
    if (bytes < bytesBetween) return
    bytes = 0
    trim(path)
  }
}

export function createLogTo(destination: DestinationStream, env: Env): Logger {
  const serializers = { err: (error: unknown) => describe(error, secretsOf(env)) }
  // JSON leaves some invisible characters as they are, but people read the log on terminals.
  return pino({ base: null, serializers, hooks: { streamWrite: escapeJson } }, destination)
}

/** Nothing else of an error: an HTTP client's holds the headers of its request. */
function describe(error: unknown, secrets: readonly string[], depth = 0): object {
  const redacted = (text: unknown) => redact(String(text), secrets)
  if (!(error instanceof Error)) return { message: redacted(error) }
  const { name, message, stack, cause } = error
  const code = "code" in error ? error.code : undefined
  return {
    type: redacted(name),
    message: redacted(message),
    ...(code !== undefined && { code: redacted(code) }),
    ...(stack && { stack: redacted(stack) }),
    ...(cause !== undefined &&
      depth < CAUSES_MAX && { cause: describe(cause, secrets, depth + 1) }),
  }
}

/**
 * Shortens a log that is too large to its last lines. Only the one daemon of a home may.
 *
 * They are written over its first lines, which needs no room, before the rest is cut off. So a full disk leaves
 * all of them where they were.
 */
export function trimLog(path: string, bytesMax = BYTES_MAX, bytesKept = BYTES_KEPT): void {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const { size } = fstatSync(file)
    if (size <= bytesMax) return
    const end = Buffer.alloc(bytesKept)
    const read = readSync(file, end, 0, bytesKept, size - bytesKept)
    const whole = end.subarray(end.indexOf("\n") + 1, read)
    if (writeSync(file, whole, 0, whole.length, 0) < whole.length) return
    ftruncateSync(file, whole.length) // other writers append, so they go on behind it
  } catch {
    // no disk, or no room: it stays as it is
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
