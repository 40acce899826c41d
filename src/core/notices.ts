/** The words of a notification, in the form that each service takes. Pure. */
import { clean } from "./shown.ts"

export type NoticeFormat = "desktop" | "ntfy" | "slack" | "discord"

/** Discord takes 2,000 characters; a person reads fewer on a phone. */
const TEXT_CHARS_MAX = 500

type Told = {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly reason: { readonly text: string } | null
}

/** One line: the task, and why it needs a person. */
export function noticeText({ id, title, state, reason }: Told): string {
  const why = reason?.text ?? (state === "in_approval" ? "its work waits for your approval" : state)
  const text = clean(`Task ${id} needs you: ${title}: ${why}`).replace(/\s+/g, " ")
  return text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text
}

/** The body of the request. No text of others mentions people or becomes a link. */
export function noticeBody(format: NoticeFormat, text: string): string {
  if (format === "slack") return JSON.stringify({ text: escapeSlack(text) })
  if (format !== "discord") return text
  // `[words](address)` would hide the address of a link.
  const content = text.replace(/[\\[]/g, "\\$&")
  return JSON.stringify({ content, allowed_mentions: { parse: [] } })
}

/** @see https://docs.slack.dev/messaging/formatting-message-text */
export const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
