/** The columns that a text takes on a terminal. */
import { util } from "../../../api/client/node-builtins.ts"
import { isPlain } from "../../../base/text/shown.ts"

/** Letters of two columns: those of East Asian scripts, and pictures. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u
/** Marks stand on the letter before them. */
const MARK = /[\p{Mn}\p{Me}]/u

export const columnsOf = (letter: string): number =>
  isPlain(letter) ? 1 : WIDE.test(letter) ? 2 : MARK.test(letter) ? 0 : 1

/** The columns of a text; colour codes take none. */
export function width(text: string): number {
  if (isPlain(text)) return text.length
  const letters = [...util.stripVTControlCharacters(text)]
  return letters.reduce((sum, letter) => sum + columnsOf(letter), 0)
}

/** The beginning of a text without colour codes, in at most `columns` columns. */
export function firstPart(text: string, columns: number): string {
  if (isPlain(text)) return text.slice(0, Math.max(0, columns))
  let used = 0
  let part = ""
  for (const letter of text) {
    used += columnsOf(letter)
    if (used > columns) break
    part += letter
  }
  return part
}

/** The end of a text without colour codes, in at most `columns` columns. */
export function lastPart(text: string, columns: number): string {
  const backwards = [...text].reverse().join("")
  return [...firstPart(backwards, columns)].reverse().join("")
}
