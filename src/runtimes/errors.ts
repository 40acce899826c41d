/** Failures of driving an agent program that no session end can tell. */
import { AppError } from "../core/errors.ts"

/** The agent program, or the library that drives it, is not there. */
export class RuntimeMissingError extends AppError {
  override readonly name = "RuntimeMissingError"
  readonly code = "runtime.missing"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(message: string, hints: readonly string[]) {
    super(message)
    this.hints = hints
  }
}
