/** Sizes as people write them: a whole number and a unit, such as 500MB, 20GB or 1TiB. */

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

export function parseBytes(text: string): Bytes {
  const [, whole, unit = ""] = /^(\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  if (whole === undefined) return invalid(`"${text}" is not a size: write 500MB, 20GB or 1TB`)
  const factor = UNIT_BYTES[unit.toLowerCase()]
  if (factor === undefined) return invalid(`${text} has no unit: write ${whole}MB, ${whole}GB`)
  const bytes = Number(whole) * factor
  if (bytes === 0) return invalid(`${text} is nothing at all: a size is more than 0`)
  return Number.isSafeInteger(bytes) ? { kind: "ok", bytes } : invalid(`${text} is too much`)
}

const invalid = (message: string): Bytes => ({ kind: "invalid", message })
