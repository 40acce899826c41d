/**
 * Jira's documents (ADF) as text, and text as a document. Pure.
 *
 * @see https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */

/** Deeper parts are left out: no person nests lists so far. */
const DEPTH_MAX = 40

type Part = {
  readonly type?: unknown
  readonly text?: unknown
  readonly attrs?: unknown
  readonly content?: unknown
}

/** Words of Coppice, and its mark as code. Nothing in it is a mention or a link. */
export const documentOf = (words: string, mark: string) => ({
  type: "doc",
  version: 1,
  content: [
    { type: "paragraph", content: [{ type: "text", text: words }] },
    { type: "paragraph", content: [{ type: "text", text: mark, marks: [{ type: "code" }] }] },
  ],
})

/** @param document as Jira sends it; null: empty. Unknown parts keep their text. */
export const textOf = (document: unknown): string => write(document, DEPTH_MAX).trim()

function write(value: unknown, depth: number): string {
  const part = Object(value) as Part
  if (depth === 0) return ""
  const attrs = Object(part.attrs) as Readonly<Record<string, unknown>>
  const type = String(part.type)
  if (type === "text") return String(part.text ?? "")
  if (type === "hardBreak") return "\n"
  if (type === "rule") return "---\n\n"
  const inline = attrs["text"] ?? attrs["url"]
  const children = Array.isArray(part.content) ? part.content : []
  if (children.length === 0) return inline === undefined ? "" : String(inline)
  const parts = children.map((child) => write(child, depth - 1))
  return shape(type, parts, attrs)
}

function shape(type: string, parts: readonly string[], attrs: Readonly<Record<string, unknown>>) {
  const text = parts.join("")
  if (type === "heading") return `${"#".repeat(Number(attrs["level"] ?? 1) % 7)} ${text}\n\n`
  if (type === "codeBlock") return `\`\`\`${attrs["language"] ?? ""}\n${text}\n\`\`\`\n\n`
  if (type === "blockquote") return `${text.trim().replaceAll(/^/gm, "> ")}\n\n`
  if (type === "bulletList") return `${parts.map((one) => item("- ", one)).join("")}\n`
  if (type === "orderedList") return `${parts.map((one, n) => item(`${n + 1}. `, one)).join("")}\n`
  if (type === "tableRow") return `| ${parts.map((one) => one.trim()).join(" | ")} |\n`
  if (type === "table") return `${text}\n`
  return type === "paragraph" ? `${text}\n\n` : text
}

/** Later lines stand under the first one. */
const item = (mark: string, text: string) =>
  `${mark}${text.trim().replaceAll("\n", `\n${" ".repeat(mark.length)}`)}\n`
