/** The user's mistakes on the command line. */
import { AppError } from "../../base/errors.ts"

export const HELP_HINT = "`coppice --help` lists the commands."

export class UsageError extends AppError {
  constructor(message: string, hints: readonly string[] = [], options?: ErrorOptions) {
    super("cli.usage", "user", message, { hints, ...options })
  }
}
