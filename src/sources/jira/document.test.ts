import { expect, test } from "vitest"
import { documentOf, textOf } from "./document.ts"

const text = (words: string) => ({ type: "text", text: words })
const block = (type: string, ...content: readonly object[]) => ({ type, content })

test("a document is read as text that keeps its order and its structure", () => {
  const document = block(
    "doc",
    { ...block("heading", text("Count")), attrs: { level: 2 } },
    block("paragraph", text("Ask "), { type: "mention", attrs: { text: "@Ada" } }, text(".")),
    block(
      "bulletList",
      block("listItem", block("paragraph", text("one"), { type: "hardBreak" }, text("two"))),
      block("listItem", block("orderedList", block("listItem", block("paragraph", text("x"))))),
    ),
    { ...block("codeBlock", text("a\nb")), attrs: { language: "ts" } },
    block("blockquote", block("paragraph", text("said"))),
    block("table", block("tableRow", block("tableCell", text("a")), block("tableCell", text("b")))),
    { type: "blockCard", attrs: { url: "https://x.example" } },
    block("panel", block("newKind", text("kept"))),
  )
  expect(textOf(document)).toBe(
    [
      ...["## Count\n", "Ask @Ada.\n", "- one\n  two", "- 1. x\n"],
      ...["```ts\na\nb\n```\n", "> said\n", "| a | b |\n", "https://x.examplekept"],
    ].join("\n"),
  )
})

test.each([[null], [undefined], [7], ["x"], [{ content: "x" }], [{ type: {}, content: [null] }]])(
  "%j is no document, and no bug",
  (value) => {
    expect(textOf(value)).toBe("")
  },
)

test("a document without end is cut off", () => {
  let deep: object = text("deep")
  for (let n = 0; n < 100_000; n++) deep = block("panel", deep)
  expect(textOf(block("doc", block("paragraph", text("top")), deep))).toBe("top")
})

test("words and mark come back from their document", () => {
  const written = textOf(documentOf("Landed on `main`.", "coppice:end 1234"))
  expect(written).toBe("Landed on `main`.\n\ncoppice:end 1234")
})
