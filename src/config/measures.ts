/** The values of coppice.yml that are measured: times and sizes. */
import { z } from "zod"
import { type Duration, parseAge, parseBytes, parseDuration } from "./units.ts"

/** Milliseconds, from `30s`, `5m`, `1h`, `7d`. */
export const span = milliseconds((text) => parseDuration(text))

export const duration = (byDefault: string) => span.prefault(byDefault)

/** Milliseconds likewise, and longer than a timer runs: `90d`. */
export function age(byDefault: string) {
  return milliseconds(parseAge).prefault(byDefault)
}

/** Bytes, from `500MB`, `20GB`. */
export const bytes = z
  .string({ error: 'must be a size in text, such as "20GB"' })
  .transform((text, context) => {
    const parsed = parseBytes(text)
    if (parsed.kind === "ok") return parsed.bytes
    context.issues.push({ code: "custom", message: parsed.message, input: text })
    return z.NEVER
  })

function milliseconds(parse: (text: string) => Duration) {
  return z
    .string({ error: ({ input }) => durationMessage(String(input)) })
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed.kind === "ok") return parsed.ms
      context.issues.push({ code: "custom", message: parsed.message, input: text })
      return z.NEVER
    })
}

function durationMessage(text: string): string {
  const parsed = parseDuration(text)
  return parsed.kind === "invalid" ? parsed.message : `write "${text}" as text`
}

/** A part of a whole, from 0 to 1. */
export function share(byDefault: number) {
  const message = "must be a number from 0 to 1"
  const number = z.coerce.number({ error: message }).min(0, message).max(1, message)
  return number.prefault(byDefault)
}

/** US dollars. */
export const money = z.coerce
  .number({ error: "must be an amount in US dollars, such as 2.50" })
  .positive("must be more than 0")
