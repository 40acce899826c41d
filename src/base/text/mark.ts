/**
 * Puts a sign in the place of a character: its number, as `\u{202e}`, or `⏎` for a line break. A reader sees it, and it
 * can be undone. Pure.
 */
export const mark = (text: string, which: RegExp): string =>
  text.replace(which, (letter) => (letter === "\n" ? "⏎" : numbered(letter)))

const numbered = (letter: string) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`
