/**
 * Jira's documents (ADF) as text, and text as a document. Pure.
 *
 * @see https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
import { fenced } from "../../../../base/text/fence.ts"

/** Deeper parts are left out: no person nests lists so far. */
const DEPTH_MAX = 40
/** Markdown has no deeper headings. */
const HEADING_LEVEL_MAX = 6

type Part = {
  readonly type?: unknown
  readonly text?: unknown
  readonly attrs?: unknown
  readonly marks?: unknown
  readonly content?: unknown
}

/** A text of Coppice, and its marker as code. Nothing in it is a mention or a link. */
export const documentOf = (text: string, marker: string) => ({
  type: "doc",
  version: 1,
  content: [
    { type: "paragraph", content: [{ type: "text", text }] },
    { type: "paragraph", content: [{ type: "text", text: marker, marks: [{ type: "code" }] }] },
  ],
})

/** @param document as Jira sends it; null: empty. Unknown parts keep their text. */
export const textOfDocument = (document: unknown): string => write(document, DEPTH_MAX).trim()

function write(value: unknown, depth: number): string {
  const part = Object(value) as Part
  if (depth === 0) return ""
  const attrs = Object(part.attrs) as Attrs
  const { type } = part
  if (type === "text") return withLink(part)
  if (type === "hardBreak") return "\n"
  if (type === "rule") return "---\n\n"
  const children = Array.isArray(part.content) ? part.content : []
  // The page shows a macro's result. Its own text may be in no view of the page.
  const isMacro = typeof type === "string" && /extension$/i.test(type)
  if (children.length === 0) return isMacro ? "" : stringOf(attrs["text"]) || stringOf(attrs["url"])
  const parts = children.map((child) => write(child, depth - 1))
  return shape(type, parts, attrs)
}

type Attrs = Readonly<Record<string, unknown>>

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

function withLink({ text, marks }: Part): string {
  const shown = stringOf(text)
  const all: readonly unknown[] = Array.isArray(marks) ? marks : []
  const link = all.map((mark) => Object(mark) as Part).find(({ type }) => type === "link")
  const target = stringOf((Object(link?.attrs) as Attrs)["href"])
  return target === "" || target === shown ? shown : `${shown} (${target})`
}

function shape(type: unknown, parts: readonly string[], attrs: Attrs): string {
  const text = parts.join("")
  if (type === "heading") return `${"#".repeat(levelOf(attrs["level"]))} ${text}\n\n`
  if (type === "codeBlock") return `${fenced(text, stringOf(attrs["language"]))}\n\n`
  if (type === "expand" || type === "nestedExpand")
    return [stringOf(attrs["title"]), text].filter(Boolean).join("\n\n")
  if (type === "blockquote") return `${text.trim().replaceAll(/^/gm, "> ")}\n\n`
  if (type === "bulletList") return `${parts.map((one) => item("- ", one)).join("")}\n`
  if (type === "orderedList") return `${parts.map((one, n) => item(`${n + 1}. `, one)).join("")}\n`
  if (type === "taskItem") return item(attrs["state"] === "DONE" ? "- [x] " : "- [ ] ", text)
  if (type === "decisionItem") return item("- ", text)
  if (type === "tableRow") return `| ${parts.map((one) => one.trim()).join(" | ")} |\n`
  if (type === "table" || type === "taskList" || type === "decisionList") return `${text}\n`
  return type === "paragraph" ? `${text}\n\n` : text
}

const levelOf = (level: unknown): number =>
  typeof level === "number" && level >= 1 ? Math.min(Math.floor(level), HEADING_LEVEL_MAX) : 1

/** Later lines stand under the first one. */
const item = (bullet: string, text: string) =>
  `${bullet}${text.trim().replaceAll("\n", `\n${" ".repeat(bullet.length)}`)}\n`
