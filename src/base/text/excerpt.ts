/** Shortens a long text to its start and its end. Pure. */

/** A screenful together. */
const CHARS_MAX = 4_000
/** The end of a program's output tells most, so more of it is kept. */
const HEAD_PART = 1 / 4

/** @param mark replaces the middle. */
export function excerpt(
  text: string,
  mark: (charsLeft: number) => string,
  charsMax = CHARS_MAX,
): string {
  const left = text.length - charsMax
  if (left <= 0) return text
  const head = Math.floor(charsMax * HEAD_PART)
  return `${text.slice(0, head)}\n… ${mark(left)} …\n${text.slice(head + left)}`
}
