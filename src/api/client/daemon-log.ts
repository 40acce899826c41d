/**
 * Reads the log of a home's daemon from its file, whether the daemon runs or not.
 *
 * The log has no secrets by what wrote it; what Node or a library wrote to stderr may. So they are taken out again.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { redact, secretsOf } from "../../base/text/redact.ts"
import { clean } from "../../base/text/shown.ts"
import type { DaemonLogLine } from "../wire/shell.ts"
import { fs } from "./node-builtins.ts"
import { daemonLogPath, stateDirOf } from "./state-dir.ts"

type Env = Readonly<Record<string, string | undefined>>
type Level = DaemonLogLine["level"]

/** The end of a log, and also the most that one look reads. */
const BYTES_MAX = 1024 * 1024
const LOOK_MS = 300
/** Enough to find the place again that was read last, in a log that was shortened to its last lines. */
const TAIL_BYTES = 4096
const MISSING: DaemonLogLine = {
  at: null,
  level: null,
  text: "lines are missing here: the log was shortened, or grew too fast, before they were read",
  facts: {},
}
const LEVELS: Readonly<Record<string, Level>> = { 30: "info", 40: "warn", 50: "error", 60: "fatal" }

export class DaemonLog {
  readonly #path: string
  readonly #secrets: readonly string[]
  /** The place up to which the file was read, and the bytes before it. */
  #read = { offset: 0, file: 0, tail: Buffer.alloc(0) }

  /** @param home real path. */
  constructor(home: string, env: Env) {
    this.#path = daemonLogPath(stateDirOf(home, env))
    this.#secrets = secretsOf(env)
  }

  /** @returns the last lines; none if no daemon has ever run here. */
  last(count: number): DaemonLogLine[] {
    const lines = this.#next()
    return count === 0 ? [] : lines.slice(-count)
  }

  /** The lines that come, until `signal` aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<DaemonLogLine> {
    while (!signal.aborted) {
      yield* this.#next()
      await sleep(LOOK_MS, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
    }
  }

  /**
   * The whole lines behind those that were read. The daemon shortens its log to its last lines: then they are behind
   * the bytes that were read last. If these are gone, or more came than one look reads, a line says that some are
   * missing. Another file is read from its beginning.
   */
  #next(): DaemonLogLine[] {
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants
    let file: number
    try {
      file = fs.openSync(this.#path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
      throw error
    }
    try {
      const found = fs.fstatSync(file)
      if (!found.isFile()) return []
      const { size, ino } = found
      const { offset, file: known, tail } = this.#read
      const before = Buffer.alloc(tail.length)
      fs.readSync(file, before, 0, before.length, offset - before.length)
      const isWhole = known === ino && before.equals(tail) // else it was shortened, and may have grown again
      const from = isWhole ? offset : 0
      const start = Math.max(from, size - BYTES_MAX)
      const bytes = Buffer.alloc(size - start)
      const got = bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, start))
      const end = got.lastIndexOf("\n") + 1
      const seen = known === ino && !isWhole ? got.lastIndexOf(tail) : -1
      const isMissing = known === ino && seen < 0 && (!isWhole || start > from)
      const first = start > from ? got.indexOf("\n") + 1 : 0 // the part begins within a line
      const begin = seen < 0 ? first : seen + tail.length
      const lines = got.subarray(begin, Math.max(begin, end))
      const kept = isWhole || seen >= 0 ? tail : "" // of another file or content, it is not before the place
      const read = lines.length > 0 ? lines.subarray(-TAIL_BYTES) : kept
      this.#read = { offset: start + end, file: ino, tail: Buffer.from(read) }
      const text = lines.toString("utf8")
      const shown = text
        .split("\n")
        .flatMap((line) => (line.trim() === "" ? [] : [this.#parse(line)]))
      return isMissing ? [MISSING, ...shown] : shown
    } finally {
      fs.closeSync(file)
    }
  }

  #parse(line: string): DaemonLogLine {
    try {
      const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
      const facts = { ...rest, ...(err !== undefined && { error: err }) }
      return {
        at: new Date(time as number).toISOString(),
        level: LEVELS[String(level)] ?? null,
        text: this.#shown(String(msg)),
        facts: this.#shownAll(facts) as DaemonLogLine["facts"],
      }
    } catch {
      return { at: null, level: null, text: this.#shown(line), facts: {} }
    }
  }

  #shownAll(value: unknown): unknown {
    if (typeof value === "string") return this.#shown(value)
    if (Array.isArray(value)) return value.map((item) => this.#shownAll(item))
    if (typeof value !== "object" || value === null) return value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([name, inner]) => [name, this.#shownAll(inner)]))
  }

  #shown = (text: string): string => clean(redact(text, this.#secrets))
}
