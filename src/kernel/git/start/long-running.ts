/**
 * Runs a git that stays and answers line by line.
 *
 * A git that does not answer in time is suspended or waits for its disk. SIGTERM lets it remove its
 * locks, and SIGCONT lets it run to do so. The caller gets an answer only when git has ended,
 * because until then git may still carry out its orders.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { GitResult } from "./errors.ts"
import { environmentOf, startLongRunning } from "./exec.ts"

export type LongRunningGit = {
  readonly pid: number
  writeLines(lines: string): void
  /**
   * Waits until git prints this line, and drops all lines before it.
   *
   * @returns false if git ended first, or was ended because it printed nothing for too long.
   */
  waitFor(line: string): Promise<boolean>
  /** Waits for the next line. @returns undefined if git ended first, as above. */
  readLine(): Promise<string | undefined>
  /** Closes git's input; must be called. @returns how git ended. */
  end(): Promise<GitResult>
}

/** Git itself waits for a lock a second at most. */
const SILENT_MS_MAX = 10_000
/** Time for git to remove its locks. */
const END_MS_MAX = 2_000

/** @throws {GitUnusableError} @throws {GitStartError} @throws {FolderMissingError} */
export async function openLongRunning(
  cwd: string,
  args: readonly string[],
  silentMsMax = SILENT_MS_MAX,
): Promise<LongRunningGit> {
  const whole = await environmentOf(cwd)
  let output = ""
  let onMore = () => {}
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString("latin1")
    onMore()
  }
  const running = startLongRunning(cwd, args, { whole, onOutput })
  const { pid, writeLines, close, ended, signal } = running
  if (pid === undefined) throw await ended.catch((error: unknown) => error)
  const isOver = ended.then(() => false)
  /** @returns false when git has ended. */
  const more = async () => {
    const printed = new Promise<boolean>((resolve) => {
      onMore = () => resolve(true)
    })
    const answer = await within(silentMsMax, [printed, isOver])
    if (answer !== undefined) return answer
    signal("SIGTERM", "SIGCONT")
    if ((await within(END_MS_MAX, [isOver])) === undefined) signal("SIGKILL")
    return await isOver
  }
  return {
    pid,
    writeLines,
    async waitFor(line) {
      const at = () => `\n${output}`.indexOf(`\n${line}\n`)
      while (at() < 0 && (await more()));
      const start = at()
      if (start >= 0) output = output.slice(start + line.length + 1)
      return start >= 0
    },
    async readLine() {
      while (!output.includes("\n") && (await more()));
      const end = output.indexOf("\n")
      if (end < 0) return undefined
      const line = output.slice(0, end)
      output = output.slice(end + 1)
      return line
    },
    end() {
      close()
      return ended
    },
  }
}

/** @returns undefined when the time is over first. */
async function within<T>(ms: number, those: readonly Promise<T>[]): Promise<T | undefined> {
  const stop = new AbortController()
  const over = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  try {
    return await Promise.race([...those, over])
  } finally {
    stop.abort()
  }
}
