/** Failures to start a child process, and to read a file. */
import type { PathLike } from "node:fs"
import { AppError, isTransient } from "../../base/errors.ts"

/** The program is missing, or the system refuses to start it. A refusal that may pass is transient. */
export class UnstartableError extends AppError {
  readonly code = "process.unstartable"
  readonly blame = "world"
  override readonly transient: boolean
  override readonly hints: readonly string[]

  constructor(message: string, hints: readonly string[] = [], cause?: unknown) {
    super(message, { cause })
    this.transient = isTransient(cause)
    this.hints = hints
  }
}

/** A file of git or of Coppice cannot be read: something else may stand in its place. */
export class UnreadableFileError extends AppError {
  readonly code = "file.unreadable"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(file: PathLike, why: string, cause?: unknown) {
    super(`${file} cannot be read: ${why}.`, { cause })
    this.hints = [`Find out what was put at ${file}, and remove it.`]
  }
}

/** No terminal opens in the dashboard: no compiled code of node-pty fits this machine. */
export class TerminalUnavailableError extends AppError {
  readonly code = "terminal.unavailable"
  readonly blame = "world"
  override readonly hints = [
    '`cd "$(coppice open <task>)"` goes to its worktree in a terminal of your own.',
  ]

  constructor(cause: unknown) {
    const platform = `${process.platform} (${process.arch})`
    super(`This installation of Coppice opens no terminal on ${platform}.`, { cause })
  }
}
