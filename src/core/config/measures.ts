/** The values of coppice.yml that are measured: times and sizes. */
import { z } from "zod"
import { parseBytes } from "./bytes.ts"
import { type Duration, parseAge, parseDuration } from "./duration.ts"

/** Milliseconds, from `30s`, `5m`, `1h`, `7d`. */
export function duration(byDefault: string) {
  return milliseconds(byDefault, (text) => parseDuration(text))
}

/** Milliseconds likewise, and longer than a timer runs: `90d`. */
export function age(byDefault: string) {
  return milliseconds(byDefault, parseAge)
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

function milliseconds(byDefault: string, parse: (text: string) => Duration) {
  return z
    .string({ error: ({ input }) => durationMessage(String(input)) })
    .transform((text, context) => {
      const parsed = parse(text)
      if (parsed.kind === "ok") return parsed.ms
      context.issues.push({ code: "custom", message: parsed.message, input: text })
      return z.NEVER
    })
    .prefault(byDefault)
}

function durationMessage(text: string): string {
  const parsed = parseDuration(text)
  return parsed.kind === "invalid" ? parsed.message : `write "${text}" as text`
}
