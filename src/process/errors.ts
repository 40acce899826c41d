/** Failures to start a child process. */
import { AppError } from "../core/errors.ts"

/** The program is missing, or the system refuses to start it. */
export class UnstartableError extends AppError {
  override readonly name = "UnstartableError"
  readonly code = "process.unstartable"
  readonly blame = "world"
  override readonly hints: readonly string[]

  constructor(message: string, hints: readonly string[] = [], cause?: unknown) {
    super(message, { cause })
    this.hints = hints
  }
}
