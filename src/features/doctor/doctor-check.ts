/** One check of the doctor, and a way to try an act that may fail. */

import type { DoctorDocument } from "../../api/wire/home.ts"
import { AppError } from "../../base/errors.ts"

export type Check = DoctorDocument["checks"][number]

export type Attempt<Value> =
  | { readonly value: Value }
  | { readonly failed: string; readonly hint: string | null }

/** A failed check is a finding, not the end of the examination. */
export function attempt<Value>(act: () => Value): Attempt<Value> {
  try {
    return { value: act() }
  } catch (error) {
    const hint = error instanceof AppError ? (error.hints[0] ?? null) : null
    return { failed: (error as Error).message, hint }
  }
}

export function passedCheck(name: string, text: string): Check {
  return { name, state: "ok", text, hint: null }
}

/**
 * A check with the promises of docs/security.md that do not hold on this machine because of it. They are
 * numbers of docs/spec.md.
 */
export function notHeld(check: Check, ...promises: readonly string[]): Check {
  const text = `${check.text}\nNot held here: ${promises.join(", ")} of docs/security.md.`
  return { ...check, text }
}

export function failedCheck(name: string, text: string, hint: string | null): Check {
  return { name, state: "failed", text, hint }
}
