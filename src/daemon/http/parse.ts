/** Validates the parameters and body of a request. */
import type { z } from "zod"
import { DaemonError } from "../errors.ts"

/** @param what names it in the error's sentence. @throws {DaemonError} `request.invalid` (user). */
export function parse<Given>(schema: z.ZodType<Given>, what: string, given: unknown): Given {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  )
  throw new DaemonError("request.invalid", `The ${what} is not valid: ${problems.join("; ")}.`)
}
