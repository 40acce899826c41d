/** Makes words that came from outside fit for a terminal. */

/**
 * Without what a terminal would obey: an agent's output, a title or a branch may hold anything.
 * Line breaks and tabs stay.
 */
export function clean(text: string): string {
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
}

/** The same on one line. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim()
}

/** `text` in at most `columns` characters, with a sign where it was cut. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns) return text
  const letters = [...text]
  if (letters.length <= columns || text.includes("\x1b")) return text
  return columns < 1 ? "" : `${letters.slice(0, columns - 1).join("")}…`
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
