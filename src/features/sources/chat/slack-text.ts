/**
 * Turns Slack's text into the text that people read. Pure.
 *
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */

/** In `<…>` stand mentions (`@U1`, `#C1|name`, `!here`) and links (`https://…|label`). */
export function readSlack(text: string): string {
  return unescaped(text.replace(/<([^<>]*)>/g, (_, inside: string) => shown(inside)))
}

function shown(inside: string): string {
  const [target = "", label] = inside.split("|", 2)
  const kind = target.slice(0, 1)
  if (kind === "@" || kind === "#") return label === undefined ? target : kind + label
  if (kind === "!") return `@${label ?? target.slice(1)}`
  return label === undefined || label === target ? target : `${label} (${target})`
}

const unescaped = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
