/** Failures to start a child process, and to read a file. */
import type { PathLike } from "node:fs"
import { AppError, isTransient } from "../core/errors.ts"

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
