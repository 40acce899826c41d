/** The text of a notification, in the form that each place takes. Pure. */

import { clean } from "../../../base/text/shown.ts"
import type { LinkAction } from "../../links/rules.ts"

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

/** The addresses in a notification. */
export type NoticeLinks = {
  /** The page of the task. */
  readonly page: string
  readonly actions: readonly { readonly action: LinkAction; readonly url: string }[]
}

const LABELS = { approve: "Approve", reject: "Reject", answer: "Answer" } as const

type Button = { readonly id: string; readonly label: string; readonly url: string }

/** The acts, of which there are at most three, and the page. */
const buttonsOf = ({ page, actions }: NoticeLinks): readonly Button[] => [
  ...actions.map(({ action, url }) => ({ id: action, label: LABELS[action], url })),
  { id: "page", label: "Look at it", url: page },
]

type NoticeRequest = {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** Set in the query of the place's address. */
  readonly query?: readonly [name: string, value: string]
}

/**
 * The request for one place. No text from others mentions people, becomes a link or hides.
 *
 * Some desktops show markup, and ntfy makes links of addresses. They have no form for text that is none of
 * these, so the characters that make them are replaced.
 *
 * @param links undefined: the reader cannot reach the dashboard.
 */
export function noticeRequest(
  format: NoticeFormat,
  text: string,
  links: NoticeLinks | undefined,
): NoticeRequest {
  const buttons = links ? buttonsOf(links) : []
  switch (format) {
    case "slack": {
      const escaped = escapeSlack(asCode(text))
      const blocks = links && { blocks: slackBlocks(escaped, buttons) }
      return { body: JSON.stringify({ text: escaped, ...blocks, ...SLACK_PLAIN }) }
    }
    case "discord": {
      const components = links && { components: [{ type: 1, components: buttons.map(forDiscord) }] }
      const body = JSON.stringify({ content: asCode(text), ...components, ...DISCORD_PLAIN })
      return links ? { body, query: ["with_components", "true"] } : { body }
    }
    case "desktop": {
      const shown = text.replaceAll("<", "‹").replaceAll(">", "›")
      return { body: links ? `${shown}\n${links.page}` : shown }
    }
    case "ntfy": {
      const body = text.replaceAll("://", ": //")
      return links ? { body, headers: ntfyHeaders(links.page, buttons.slice(0, -1)) } : { body }
    }
  }
}

/** `verbatim` makes nothing in the text a link or a mention. @see https://docs.slack.dev/reference/block-kit */
const slackBlocks = (text: string, buttons: readonly Button[]) => [
  { type: "section", text: { type: "mrkdwn", text, verbatim: true } },
  {
    type: "actions",
    elements: buttons.map(({ id, label, url }) => ({
      type: "button",
      action_id: id,
      text: { type: "plain_text", text: label },
      url,
    })),
  },
]

/** A button that is a link. @see https://docs.discord.com/developers/components/reference */
const forDiscord = ({ label, url }: Button) => ({ type: 2, style: 5, label, url })

/** A touch opens the page of the task. @see https://docs.ntfy.sh/publish/#action-buttons */
function ntfyHeaders(page: string, buttons: readonly Button[]): Record<string, string> {
  const actions = buttons.map(({ label, url }) => `view, ${label}, ${url}`).join("; ")
  return actions === "" ? { Click: page } : { Click: page, Actions: actions }
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
