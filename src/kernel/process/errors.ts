/** Failures to start a child process, and to read a file. */
import type { PathLike } from "node:fs"
import { AppError, isTransient } from "../../base/errors.ts"

/** The program is missing, or the system refuses to start it. A refusal that may pass is transient. */
export class UnstartableError extends AppError {
  constructor(message: string, hints: readonly string[] = [], cause?: unknown) {
    super("process.unstartable", "world", message, { transient: isTransient(cause), hints, cause })
  }
}

/** A file of git or of Coppice cannot be read: something else may stand in its place. */
export class UnreadableFileError extends AppError {
  constructor(file: PathLike, why: string, cause?: unknown) {
    super("file.unreadable", "world", `${file} cannot be read: ${why}.`, {
      hints: [`Find out what was put at ${file}, and remove it.`],
      cause,
    })
  }
}

/** No terminal opens in the dashboard: no compiled code of node-pty fits this machine. */
export class TerminalUnavailableError extends AppError {
  constructor(cause: unknown) {
    const platform = `${process.platform} (${process.arch})`
    const message = `This installation of Coppice opens no terminal on ${platform}.`
    super("terminal.unavailable", "world", message, {
      hints: ['`cd "$(coppice open <task>)"` goes to its worktree in a terminal of your own.'],
      cause,
    })
  }
}
