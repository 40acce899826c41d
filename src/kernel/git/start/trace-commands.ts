/**
 * Traces git commands: `COPPICE_TRACE=git` prints each on stderr, and a caller may record its own.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { AppError } from "../../../base/errors.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { reveal } from "../../../base/text/shown.ts"

/** How long lines are gathered before they are recorded, so that a burst is recorded at once. */
const GATHER_MS_MAX = 1_000
/** Longest command that is shown. */
const COMMAND_CHARS_MAX = 400

type Keep = (line: string) => void

const keepers = new AsyncLocalStorage<Keep>()
const isPrinted = () => (process.env["COPPICE_TRACE"] ?? "").split(",").includes("git")

/**
 * Call it when git starts. @returns call it when git has ended, without an exit code if it failed.
 */
export function beginTrace(
  cwd: string,
  args: readonly string[],
): (exitCode: number | undefined) => void {
  const keep = keepers.getStore()
  if (!keep && !isPrinted()) return () => {}
  const startedAtMs = performance.now()
  return (exitCode) => {
    const ms = (performance.now() - startedAtMs).toFixed(1).padStart(7)
    const command = ["git", ...args.map((arg) => shellWord(arg))].join(" ")
    const shown = command.slice(0, COMMAND_CHARS_MAX)
    const line = reveal(
      `${ms} ms  exit ${exitCode ?? "?"}  ${shown}${shown === command ? "" : "…"}  (in ${cwd})`,
    )
    keep?.(line)
    if (isPrinted()) process.stderr.write(`${line}\n`)
  }
}

/** Runs `action`, and records one line for each git that it runs, in batches. */
export async function keepingGits<T>(
  record: (lines: readonly string[]) => void,
  action: () => Promise<T>,
): Promise<T> {
  let lines: string[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const gathered = lines
    lines = []
    try {
      if (gathered.length > 0) record(gathered)
    } catch (error) {
      if (!(error instanceof AppError)) throw error // such as a full disk: the record is a help, no promise
    }
  }
  const keep = (line: string) => {
    lines.push(line)
    timer ??= setTimeout(flush, GATHER_MS_MAX).unref()
  }
  try {
    return await keepers.run(keep, action)
  } finally {
    flush()
  }
}
