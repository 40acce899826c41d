/** Shortens a long text to its start and its end. Pure. */

/** A screenful together. The end of a program's output tells most, so more of it is kept. */
const HEAD_CHARS_MAX = 1_000
const END_CHARS_MAX = 3_000

/** @param mark replaces the middle. */
export function excerpt(text: string, mark: (charsLeft: number) => string): string {
  const left = text.length - HEAD_CHARS_MAX - END_CHARS_MAX
  if (left <= 0) return text
  return `${text.slice(0, HEAD_CHARS_MAX)}\n… ${mark(left)} …\n${text.slice(-END_CHARS_MAX)}`
}
