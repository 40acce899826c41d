/** What keeps homes from being listed. */
import { AppError } from "../core/errors.ts"

/** The folder that holds the state of all homes cannot be looked into. */
export class StateUnreadableError extends AppError {
  override readonly name = "StateUnreadableError"
  readonly code = "state.unreadable"
  readonly blame = "user"
  override readonly hints = [
    "Make it a folder that you can read.",
    "COPPICE_STATE, or XDG_STATE_HOME, names another folder in which the state of homes is kept.",
  ]

  constructor(root: string, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException
    super(`The state of homes in ${root} cannot be read (${code}).`, { cause })
  }
}
