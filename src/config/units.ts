/** Durations and sizes as people write them: a whole number and a unit, such as 30s, 7d or 20GB. */

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** A timer of Node holds 2^31 - 1 ms; whole days below that. */
const DAYS_MAX = 24
/** A hundred years. An age may be longer than a timer runs, because no timer waits for it. */
const AGE_DAYS_MAX = 36_500

export type Duration =
  | { readonly kind: "ok"; readonly ms: number }
  | { readonly kind: "invalid"; readonly message: string }

/** How old something may become: as a duration, and longer than a timer runs. */
export function parseAge(text: string): Duration {
  return parseDuration(text, AGE_DAYS_MAX)
}

export function parseDuration(text: string, daysMax = DAYS_MAX): Duration {
  const match = /^(-?)(\d+)(\.\d+)?\s*([a-z]*)$/i.exec(text.trim())
  if (!match) return invalid(`"${text}" is not a duration: write 30s, 5m, 1h or 7d`)
  const [, minus, whole, fraction, unit] = match
  if (unit === "")
    return invalid(`${text} has no unit: write ${whole}s, ${whole}m, ${whole}h or ${whole}d`)
  if (!isUnit(unit)) return invalid(`"${unit}" is not a unit: use s, m, h or d`)
  if (minus) return invalid(`${text} is negative: a duration is longer than 0`)
  if (fraction) return invalid(`${text} is not whole: use a smaller unit`)
  const ms = Number(whole) * UNIT_MS[unit]
  if (ms === 0) return invalid(`${text} is zero: a duration is longer than 0`)
  if (ms > daysMax * UNIT_MS.d)
    return invalid(`${text} is longer than ${daysMax}d, the most there is`)
  return { kind: "ok", ms }
}

function isUnit(text: string | undefined): text is keyof typeof UNIT_MS {
  return text !== undefined && Object.hasOwn(UNIT_MS, text)
}

function invalid(message: string): Duration {
  return { kind: "invalid", message }
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

export type Bytes =
  | { readonly kind: "ok"; readonly bytes: number }
  | { readonly kind: "invalid"; readonly message: string }

/** Sizes as people write them: a whole number and a unit, such as 500MB, 20GB or 1TiB. */
export function parseBytes(text: string): Bytes {
  const [, whole, unit = ""] = /^(\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  if (whole === undefined) return noSize(`"${text}" is not a size: write 500MB, 20GB or 1TB`)
  const factor = UNIT_BYTES[unit.toLowerCase()]
  if (factor === undefined) return noSize(`${text} has no unit: write ${whole}MB, ${whole}GB`)
  const bytes = Number(whole) * factor
  if (bytes === 0) return noSize(`${text} is zero: a size is more than 0`)
  return Number.isSafeInteger(bytes) ? { kind: "ok", bytes } : noSize(`${text} is too much`)
}

const noSize = (message: string): Bytes => ({ kind: "invalid", message })
