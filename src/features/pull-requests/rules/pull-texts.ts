/** The title and the text of a pull request, from their templates. Pure. */
import { clean } from "../../../base/text/shown.ts"

type Values = {
  readonly title: string
  readonly task: number
  readonly workItem: string | null
  readonly summary: string
}

/** Forges refuse longer ones. */
const TITLE_CHARS_MAX = 250
const BODY_CHARS_MAX = 60_000

export function fillTitle(template: string, values: Values): string {
  const line = fill(template, values).replaceAll(/\s+/g, " ").trim()
  return (line || clean(values.title)).slice(0, TITLE_CHARS_MAX)
}

/** @param note a sentence of ours, which names files; it comes last. */
export function fillBody(template: string, values: Values, note = ""): string {
  const end = note && `\n\n${withoutMentions(note)}`
  const body = fill(template, values, withoutMentions)
  return body.slice(0, BODY_CHARS_MAX - end.length) + end
}

/** Breaks a name or address that a forge would act on; a reader sees no difference. */
const BREAK = "\u200b"

/** A forge tells each person named with `@`, and marks each linked issue. A template is a person's own, and may do so. */
const withoutMentions = (text: string): string =>
  text.replaceAll("@", `@${BREAK}`).replaceAll("://", `:/${BREAK}/`)

/** In one pass: a title that holds `{summary}` stays as it is. The agent wrote most of the text. */
function fill(
  template: string,
  { title, task, workItem, summary }: Values,
  neutral = (text: string): string => text,
): string {
  const values = new Map<string, string>([
    ...[["title", title] as const, ["summary", summary] as const],
    ...[["task", String(task)] as const, ["workItem", workItem ?? ""] as const],
  ])
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values.get(name)
    const isAgents = name === "title" || name === "summary" // an item may be an address, which has to lead there
    return isAgents ? neutral(clean(value ?? "")) : clean(value ?? whole)
  })
}
