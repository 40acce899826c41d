import { expect, test } from "vitest"
import { documentOf, textOfDocument } from "./document.ts"

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
  expect(textOfDocument(document)).toBe(
    [
      ...["## Count\n", "Ask @Ada.\n", "- one\n  two", "- 1. x\n"],
      ...["```ts\na\nb\n```\n", "> said\n", "| a | b |\n", "https://x.examplekept"],
    ].join("\n"),
  )
})

test("tasks keep their state, expanded parts their title, and links their target", () => {
  const task = (state: string, words: string) => ({
    ...block("taskItem", text(words)),
    attrs: { state },
  })
  const link = { type: "link", attrs: { href: "https://spec.example" } }
  const document = block(
    "doc",
    block("taskList", task("TODO", "first"), task("DONE", "second")),
    block("decisionList", block("decisionItem", text("one")), block("decisionItem", text("two"))),
    { ...block("expand", block("paragraph", text("x"))), attrs: { title: "Steps" } },
    block("paragraph", { ...text("the spec"), marks: [{ type: "strong" }, link] }),
  )
  expect(textOfDocument(document)).toBe(
    "- [ ] first\n- [x] second\n\n- one\n- two\n\nSteps\n\nx\n\nthe spec (https://spec.example)",
  )
})

test("no code ends its own block", () => {
  const code = block("codeBlock", text("```\nnot code"))
  expect(textOfDocument(block("doc", code))).toBe("````\n```\nnot code\n````")
})

test.each(["extension", "inlineExtension", "bodiedExtension"])(
  "the settings of a macro (%s), which no page shows, are left out",
  (type) => {
    expect(textOfDocument(block("doc", { type, attrs: { text: "hidden" } }))).toBe("")
  },
)

test.each([-1, 0.5, "x", {}, Number.NaN, 1e9])("a heading of level %j is no bug", (level) => {
  expect(textOfDocument({ ...block("heading", text("x")), attrs: { level } })).toMatch(/^#{1,6} x$/)
})

const odd = { toString: 1, valueOf: 1 }

test.each([
  { type: "text", text: odd },
  { type: "text", text: "", marks: [odd, null, { type: "link", attrs: null }] },
  { type: "x", attrs: { text: odd, url: odd } },
  { type: odd, content: [{ type: odd }] },
])("an object in place of words is no bug: %j", (part) => {
  expect(textOfDocument(part)).toBe("")
})

test.each([[null], [undefined], [7], ["x"], [{ content: "x" }], [{ type: {}, content: [null] }]])(
  "%j is no document, and no bug",
  (value) => {
    expect(textOfDocument(value)).toBe("")
  },
)

test("a document without end is cut off", () => {
  let deep: object = text("deep")
  for (let n = 0; n < 100_000; n++) deep = block("panel", deep)
  expect(textOfDocument(block("doc", block("paragraph", text("top")), deep))).toBe("top")
})

test("words and mark come back from their document", () => {
  const written = textOfDocument(documentOf("Landed on `main`.", "coppice:end 1234"))
  expect(written).toBe("Landed on `main`.\n\ncoppice:end 1234")
})
