/**
 * Text that agents, repositories and trackers wrote, made fit to be shown.
 *
 * A terminal obeys control characters, and a reader does not see what is invisible or turns a line
 * around. Every surface takes one of these three ways, and no other.
 */

/** All that is invisible, or changes how other text looks; line breaks and tabs alone may stay. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)/g
const OTHER_LINE_BREAKS = /[\v\f\x85\u2028\u2029]/g

/** Whether nothing of `text` needs a look: letters of one column each, on one line. */
export const isPlain = (text: string): boolean => /^[ -~]*$/.test(text)

/** To be read: without what is unseen, and without a terminal's sequences. */
export function clean(text: string): string {
  if (isPlain(text)) return text
  return text.replace(SEQUENCE, "").replace(OTHER_LINE_BREAKS, "\n").replace(UNSEEN, "")
}

/** To be judged: what is unseen stands there as its number, as in `\u{202e}`. */
export function reveal(text: string): string {
  return isPlain(text) ? text : text.replace(UNSEEN, numbered)
}

/** As JSON that means the same and holds nothing unseen. @param indent as of JSON.stringify. */
export function toJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** JSON that another program made, in the same way. */
export function escapeJson(json: string): string {
  return json.replace(UNSEEN, (letter) =>
    letter
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).padStart(4, "0")}`)
      .join(""),
  )
}

const hex = (code: number) => code.toString(16)
const numbered = (letter: string) => `\\u{${hex(letter.codePointAt(0) ?? 0)}}`
