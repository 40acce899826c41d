/** The text of a notification, in the form that each place takes. Pure. */

import { startOf } from "../../../base/text/asked.ts"
import { mark } from "../../../base/text/mark.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { reveal } from "../../../base/text/shown.ts"
import type { LinkAction } from "../../links/rules.ts"

export type NoticeFormat = "desktop" | "ntfy" | "slack" | "discord"

/** Discord takes 2,000 characters; a person reads fewer on a phone. */
const TEXT_CHARS_MAX = 500

type Told = {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly reason: { readonly code: string; readonly text: string } | null
}

/** Whether the notification has a question of the agent, on which a person decides. */
export const asksPerson = ({ reason }: Pick<Told, "reason">): boolean => reason?.code === "asked"

/** One line: the task, and why it needs a person. A question of its agent is there byte for byte, with marks. */
export function noticeText({ id, title, state, reason }: Told): string {
  const why = reason?.text ?? (state === "in_approval" ? "its work waits for your approval" : state)
  const shown = asksPerson({ reason }) ? mark(reveal(why), /\n/g) : oneLine(why)
  return `Task ${id} needs you: ${oneLine(title)}: ${shown}`
}

/** For Slack and Discord: in code, no word mentions people, becomes a link, or is hidden as a spoiler. */
const asCode = (text: string): string => `\`${text}\``

const ANGLES: Readonly<Record<string, string>> = { "<": "‹", ">": "›" }
/** The characters that a place would not show as they are, and their successors in a text that asks nothing. */
const UNSHOWN = {
  slack: [/`/g, () => "'"],
  discord: [/`/g, () => "'"],
  desktop: [/[<>]|&(?=[#a-z])/gi, (letter: string) => ANGLES[letter] ?? letter],
  ntfy: [/(?<=:)\/(?=\/)/g, () => " /"],
} as const satisfies Record<NoticeFormat, unknown>

/** The buttons lead to pages with all of it, where a person decides. */
function within(format: NoticeFormat, text: string, asks: boolean): string {
  const [which, instead] = UNSHOWN[format]
  return startOf(asks ? mark(text, which) : text.replace(which, instead), TEXT_CHARS_MAX)
}

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
 * these, so the characters that make them are replaced; in a text that asks a person, they are marked.
 *
 * @param links undefined: the reader cannot reach the dashboard.
 */
export function noticeRequest(
  format: NoticeFormat,
  all: string,
  links: NoticeLinks | undefined,
  asks = false,
): NoticeRequest {
  const buttons = links ? buttonsOf(links) : []
  const text = within(format, all, asks)
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
    case "desktop":
      return { body: links ? `${text}\n${links.page}` : text }
    case "ntfy":
      return links
        ? { body: text, headers: ntfyHeaders(links.page, buttons.slice(0, -1)) }
        : { body: text }
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
