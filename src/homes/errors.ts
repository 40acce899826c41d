/** Errors of listing homes. */
import { AppError } from "../core/errors.ts"

/** The folder with the state of all homes cannot be read. */
export class StateUnreadableError extends AppError {
  override readonly name = "StateUnreadableError"
  readonly code = "state.unreadable"
  readonly blame = "user"
  override readonly hints = [
    "Make it a folder that you can read.",
    "Or name another folder for the state of homes with COPPICE_STATE or XDG_STATE_HOME.",
  ]

  constructor(root: string, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException
    super(`The state of homes in ${root} cannot be read (${code}).`, { cause })
  }
}
