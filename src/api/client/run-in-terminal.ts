/** Runs programs in a person's terminal until they end. */

import { spawn } from "node:child_process"
import { AppError } from "../../base/errors.ts"
import type { Env } from "../../config/substitute.ts"
import type { AttachDocument } from "../wire/requests.ts"

/** The program for a person's conversation does not start. */
class ProgramNotStartedError extends AppError {
  constructor(program: string, cause: unknown) {
    const message = `${program} cannot be started (${(cause as NodeJS.ErrnoException).code}).`
    super("program.not_started", "world", message, {
      hints: ["`coppice doctor` says what is missing."],
      cause,
    })
  }
}

/** Variables that tell a program about its terminal. */
const OF_THE_TERMINAL = ["TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "TMUX", "DISPLAY"]

/**
 * The program owns the terminal: Ctrl-C reaches it, and ends nothing else.
 *
 * @param own the person's environment.
 * @returns its exit code; null if a signal ended it.
 * @throws ProgramNotStartedError
 */
export function runInteractive(
  { program, args, env, cwd }: AttachDocument,
  own: Env,
): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const ignore = () => {}
  process.on("SIGINT", ignore)
  const ofTerminal = OF_THE_TERMINAL.filter((name) => own[name] !== undefined)
  const terminal = Object.fromEntries(ofTerminal.map((name) => [name, own[name]]))
  const child = spawn(program, args, { cwd, env: { ...env, ...terminal }, stdio: "inherit" })
  child.on("error", (error) => reject(new ProgramNotStartedError(program, error)))
  child.on("exit", (code) => resolve(code))
  return promise.finally(() => void process.off("SIGINT", ignore))
}

/** A shell's exit codes for a program that it cannot start. */
const NOT_STARTED = [126, 127]

/**
 * Shows lines in the pager that the person has chosen, or else in `less`.
 *
 * @returns false if it did not start, or does not page.
 */
export function runPager(lines: readonly string[], own: Env): Promise<boolean> {
  const pager = own["PAGER"] || "less"
  if (pager === "cat") return Promise.resolve(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const ignore = () => {}
  process.on("SIGINT", ignore)
  const env = { LESS: "R", ...own }
  const child = spawn("sh", ["-c", pager], { env, stdio: ["pipe", "inherit", "inherit"] })
  child.on("error", () => resolve(false))
  child.on("exit", (code) => resolve(!NOT_STARTED.includes(code ?? 0)))
  child.stdin.on("error", ignore) // the person has seen enough
  child.stdin.end(`${lines.join("\n")}\n`)
  return promise.finally(() => void process.off("SIGINT", ignore))
}
