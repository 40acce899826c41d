/** Errors of a request that is not sent. */
import { AppError } from "../errors.ts"

/** A request holds more than a daemon takes. */
export class RequestTooLargeError extends AppError {
  override readonly name = "RequestTooLargeError"
  readonly code = "request.too_large"
  readonly blame = "user"
  override readonly hints = ["Put long material into a file, and name the file in the prompt."]

  constructor(bytes: number, bytesMax: number) {
    super(`The request has ${bytes} bytes; the daemon takes ${bytesMax}.`)
  }
}
