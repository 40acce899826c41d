/** Takes known values out of texts, also where a text was cut in the middle of one, or comes in pieces. Pure. */

export const REDACTED = "[redacted]"
/** A shorter part would be found in words that are no secret. */
export const SECRET_LENGTH_MIN = 8

export const replaceAll = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)

/** Takes out the values, and the parts of one that was cut off at the start or the end of the text. */
export function hide(text: string, values: readonly string[]): string {
  const [, before = "", middle = "", after = ""] =
    /^((?:\[…\]|…)?)([^]*?)(…?)$/.exec(replaceAll(text, values)) ?? []
  // Without the sign of a cut it is a word that a value happens to begin or end with.
  const cut = (sign: string, letters: number) =>
    sign === "" || letters < SECRET_LENGTH_MIN ? 0 : letters
  const first = cut(before, endedAtStart(middle, values))
  const last = cut(after, begunAtEnd(middle, values))
  if (first + last >= middle.length && first + last > 0) return `${before}${REDACTED}${after}`
  const kept = middle.slice(first, middle.length - last)
  return `${before}${first > 0 ? REDACTED : ""}${kept}${last > 0 ? REDACTED : ""}${after}`
}

/** The same for each text in a document. */
export function hideIn<T>(document: T, values: readonly string[]): T {
  if (typeof document === "string") return hide(document, values) as T
  if (Array.isArray(document)) return document.map((item) => hideIn(item, values)) as T
  if (typeof document !== "object" || document === null) return document
  const entries = Object.entries(document).map(([name, value]) => [name, hideIn(value, values)])
  return Object.fromEntries(entries) as T
}

/** The same for a text that comes in pieces: an end that may begin a value waits for the next piece. */
export class HidingStream {
  readonly #values: readonly string[]
  #held = ""

  constructor(values: readonly string[]) {
    this.#values = values
  }

  /** @returns the part that can be shown now; possibly none. */
  push(piece: string): string {
    const all = replaceAll(this.#held + piece, this.#values)
    const shown = all.length - begunAtEnd(all, this.#values)
    this.#held = all.slice(shown)
    return all.slice(0, shown)
  }

  /** A new text begins. */
  clear(): void {
    this.#held = ""
  }
}

/** How many letters at the start of the text end one of the values. */
const endedAtStart = (text: string, values: readonly string[]): number =>
  begunAtEnd(
    reversed(text),
    values.map((value) => reversed(value)),
  )
const reversed = (text: string): string => text.split("").reverse().join("")

/** How many letters at the end of the text begin one of the values. */
function begunAtEnd(text: string, values: readonly string[]): number {
  const lengths = values.map((value) => {
    let length = Math.min(value.length - 1, text.length)
    while (length > 0 && !text.endsWith(value.slice(0, length))) length--
    return length
  })
  return Math.max(0, ...lengths)
}
