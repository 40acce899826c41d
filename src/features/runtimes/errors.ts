/** Failures of an agent program that have no session end to describe them. */
import { AppError } from "../../base/errors.ts"

/** The agent program, or the library that drives it, is missing. */
export class RuntimeMissingError extends AppError {
  constructor(message: string, hints: readonly string[]) {
    super("runtime.missing", "user", message, { hints })
  }
}
