/**
 * Makes text from agents, repositories and trackers safe to show.
 *
 * A terminal obeys control characters, and a reader overlooks invisible or reversed text. Every output
 * uses one of these functions.
 */
import { mark } from "./mark.ts"

/** Characters that are invisible or change how other text looks; line breaks and tabs may stay. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|.)/g
/** Also halves of letters, and what would read as a mark of ours. */
const TO_MARK =
  /\\(?=u\{[\da-f]+\})|(?![\t\n])[\u23ce\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu
const OTHER_LINE_BREAKS = /[\v\f\x85\u2028\u2029]/g

/** Whether `text` is plain: one line, one column for each letter. */
export const isPlain = (text: string): boolean => /^[ -~]*$/.test(text)

/** For reading: without invisible characters and terminal sequences. */
export function clean(text: string): string {
  if (isPlain(text)) return text
  return text.replace(SEQUENCE, "").replace(OTHER_LINE_BREAKS, "\n").replace(UNSEEN, "")
}

/** For judging: shows invisible characters as numbers, as in `\u{202e}`. Two texts never look the same. */
export function reveal(text: string): string {
  return isPlain(text) && !text.includes("\\u{") ? text : mark(text, TO_MARK)
}

/** For judging, between lines of ours: its further lines are marked, so that none looks like ours. */
export const quote = (text: string): string => reveal(text).replaceAll("\n", "\n  | ")

/** As equivalent JSON without invisible characters. @param indent as of JSON.stringify. */
export function toJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** The same, for JSON from another program. */
export function escapeJson(json: string): string {
  return json.replace(UNSEEN, (letter) =>
    letter
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).padStart(4, "0")}`)
      .join(""),
  )
}

const hex = (code: number) => code.toString(16)
