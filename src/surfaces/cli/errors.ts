/** The user's mistakes on the command line. */
import { AppError } from "../../base/errors.ts"

export const HELP_HINT = "`coppice --help` lists the commands."

export class UsageError extends AppError {
  readonly code = "cli.usage"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(message: string, hints: readonly string[] = [], options?: ErrorOptions) {
    super(message, options)
    this.hints = hints
  }
}
