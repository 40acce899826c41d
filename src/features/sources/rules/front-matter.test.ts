import { expect, test } from "vitest"
import { readMarkdownItem } from "./front-matter.ts"

test.each([
  ["---\ntitle: A\nstatus: ready\n---\nDo it.\n", "A", "Do it.\n", true],
  ["\ufeff---\r\nstatus: ready\r\n---\r\n# Heading\r\nText", "Heading", "# Heading\nText", true],
  ["---\nstatus: done\n---\n", "name", "", false],
  ["---\n---\nText", "name", "Text", false],
  ["No front matter.\n---\n", "name", "No front matter.\n---\n", false],
  ["---\nstatus: ready\nNo end.", "name", "---\nstatus: ready\nNo end.", false],
])("%j", (file, title, text, isReady) => {
  expect(readMarkdownItem(file, "name")).toEqual({ kind: "ok", title, text, isReady })
})

test.each(["---\na: [\n---\n", "---\n- a\n---\n", "---\ntitle: 3\n---\n"])(
  "%j is invalid",
  (file) => {
    expect(readMarkdownItem(file, "name")).toMatchObject({ kind: "invalid" })
  },
)
