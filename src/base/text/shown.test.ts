import { expect, test } from "vitest"
import { clean, reveal, toJson } from "./shown.ts"

const LETTERS = {
  control: "\x07",
  escape: "\x1b[2J",
  delete: "\x7f",
  C1: "\x9b",
  override: "\u202e",
  isolate: "\u2066",
  mark: "\u200f",
  "Arabic mark": "\u061c",
  "zero width": "\u200b",
  joiner: "\u200d",
  "byte order mark": "\ufeff",
  tag: "\u{e0041}",
  "variation selector": "\u{e0100}",
}
const isUnseen = (text: string) => /[^\n\P{Cc}]|\p{Default_Ignorable_Code_Point}|\u2028/u.test(text)

test.each(Object.entries(LETTERS))("clean drops a %s, and reveal shows its number", (_, letter) => {
  expect(clean(`a${letter}b`)).toBe("ab")
  expect(reveal(`a${letter}b`)).toContain(`a\\u{${letter.codePointAt(0)!.toString(16)}}`)
  expect(isUnseen(reveal(letter))).toBe(false)
})

test.each(Object.entries(LETTERS))(
  "JSON with a %s means the same and shows nothing of it",
  (_, letter) => {
    const value = { [letter]: [`a${letter}\nb`] }
    const text = toJson(value, 2)
    expect(isUnseen(text)).toBe(false)
    expect(JSON.parse(text)).toEqual(value)
  },
)

test("a title of a terminal that no program ended hides no further line", () => {
  expect(clean("FAIL a\n\x1b]0;vitest\nError")).toBe("FAIL a\n\nError")
  expect(clean("FAIL a\n\x1b]0;vitest\x9cError")).toBe("FAIL a\nError")
})

test("separators of lines become line breaks, and other writing stays as it is", () => {
  expect(clean("a\u2028b\x85c\td\r\n")).toBe("a\nb\nc\td\n")
  const words = "Grüße, 世界, שלום, 👍"
  expect(clean(words)).toBe(words)
  expect(reveal(words)).toBe(words)
})
