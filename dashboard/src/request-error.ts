/** The errors of requests that the page sends. */

/** The daemon refused a request and says why, or it does not answer. */
export class RequestError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const LOGGED_OUT = "request.unauthorized"
export const UNREACHABLE = "daemon.unreachable"

/** The reason why the buttons wait. */
export const NOT_LIVE = "The daemon does not answer."

export const isUnreachable = (error: unknown): boolean =>
  error instanceof RequestError && error.code === UNREACHABLE

export function wordsOf(error: unknown): string {
  return error instanceof RequestError ? error.message : String(error)
}
