/** The words of a notification, in the form that each place takes. Pure. */
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

/** For Slack and Discord: in code, no word mentions people, becomes a link, or is hidden as a spoiler. */
const asCode = (text: string): string => `\`${text.replaceAll("`", "'")}\``

/**
 * The text for one place. No words of others mention people, become a link or hide.
 *
 * Some desktops show markup, and ntfy makes links of addresses. They have no form for text that is none of
 * these, so the characters that make them are replaced.
 */
export function noticeBody(format: NoticeFormat, text: string): string {
  switch (format) {
    case "slack":
      return JSON.stringify({ text: escapeSlack(asCode(text)), ...SLACK_PLAIN })
    case "discord":
      return JSON.stringify({ content: asCode(text), ...DISCORD_PLAIN })
    case "desktop":
      return text.replaceAll("<", "‹").replaceAll(">", "›")
    case "ntfy":
      return text.replaceAll("://", ": //")
  }
}

/** Makes nothing in a message a mention, a link or a preview. */
export const SLACK_PLAIN = {
  parse: "none",
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const

/** Switches mentions and previews of pages off in a message (`SUPPRESS_EMBEDS`). */
export const DISCORD_PLAIN = { allowed_mentions: { parse: [] }, flags: 4 } as const

/** @see https://docs.slack.dev/messaging/formatting-message-text */
export const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
