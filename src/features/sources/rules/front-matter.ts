/** Reads a Markdown file with front matter as a work item. Pure. */
import { readYaml } from "../../../base/text/yaml.ts"

export type MarkdownItem =
  | {
      readonly kind: "ok"
      readonly title: string
      readonly text: string
      readonly isReady: boolean
    }
  | { readonly kind: "invalid"; readonly why: string }

/** Far more than front matter has: to read YAML takes quadratic time at worst. */
const HEAD_CHARS_MAX = 16 * 1024

/**
 * An item is ready when its front matter has `status: ready`. Its title is `title`, else the first
 * heading, else `name`. People may keep other keys of their own.
 */
export function readMarkdownItem(file: string, name: string): MarkdownItem {
  const text = file.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  const found = /^---\n((?:[^\n]*\n)*?)---[ \t]*(?:\n|$)/.exec(text)
  if (!found) return { kind: "ok", title: name, text, isReady: false }
  const [, head = ""] = found
  if (head.length > HEAD_CHARS_MAX)
    return { kind: "invalid", why: `its front matter has more than ${HEAD_CHARS_MAX} characters` }
  const read = readYaml(head)
  if (read.kind === "invalid")
    return { kind: "invalid", why: read.messages[0] ?? "it has a mistake" }
  const value = read.value ?? {}
  if (typeof value !== "object" || Array.isArray(value))
    return { kind: "invalid", why: "its front matter has no keys" }
  const { title, status } = value as { readonly title?: unknown; readonly status?: unknown }
  if (title !== undefined && typeof title !== "string")
    return { kind: "invalid", why: "its `title` is not text" }
  const rest = text.slice(found[0].length)
  const heading = /^#+ +(.+)$/m.exec(rest)?.[1]?.trim()
  return { kind: "ok", title: title ?? heading ?? name, text: rest, isReady: status === "ready" }
}
