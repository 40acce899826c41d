/**
 * Shows a person what they are asked to approve.
 *
 * An approval is worth what it shows. All of the text is there, and each mark (shown.ts) can be undone. A place without
 * room for all of it says how much is missing, and takes no approval. test/approvals.test.ts lists the displays. Pure.
 */
/** Whether a place has room for all of it. */
export const fits = (shown: string, charsMax: number): boolean => shown.length <= charsMax

/** The start of a text, and how much more there is. No place that shows only this takes an approval. */
export function startOf(shown: string, charsMax: number): string {
  if (fits(shown, charsMax)) return shown
  const start = shown.slice(0, charsMax).replace(/[\ud800-\udbff]$/, "")
  return `${start}… (${bytesOf(shown) - bytesOf(start)} more bytes)`
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Two values that mean different things look different: `false` and `"false"`, a list and its words.
 *
 * @param indent for a block. On a line, blanks at the ends of a text are shown in quotes.
 */
export function shownValue(value: unknown, indent?: number): string {
  const isText = typeof value === "string" && !isJson(value)
  const isBlock = indent !== undefined || (isText && value.trim() === value)
  return isText && isBlock ? value : JSON.stringify(value, null, indent)
}

function isJson(text: string): boolean {
  if (text === "") return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // a text
  }
}
