/** The history of a task: its events in words. */

import type { EventDocument } from "../../src/api/wire/events.ts"
import { clean } from "../../src/base/text/shown.ts"
import { api } from "./api.ts"
import { shownTime } from "./clock.ts"
import { useRead } from "./read.ts"

/** Earlier ones are on the command line. */
const EVENTS_MAX = 500

export function History({ id }: { readonly id: string }) {
  const { document, error } = useRead(id, () => readEvents(id))
  if (error) return <p className="error">{error}</p>
  return (
    <ol className="history">
      {document?.map(({ seq, at, type, data }) => (
        <li key={seq} data-seq={seq}>
          <time dateTime={at}>{shownTime(at)}</time> <span>{eventWords(type, data)}</span>
        </li>
      ))}
    </ol>
  )
}

async function readEvents(task: string): Promise<readonly EventDocument[]> {
  return (await api.events({ task, last: EVENTS_MAX })).events
}

/** `landing.handed_back` as words, with the text that the event carries. */
function eventWords(type: string, data: Readonly<Record<string, unknown>>): string {
  const words = type.split(".").at(-1)?.replaceAll("_", " ")
  const subject = type.startsWith("task.") ? "" : `${type.split(".")[0]} `
  const about = ["reason", "text", "answer", "command", "outcome", "to"].map((key) =>
    textOf(data[key]),
  )
  const exit = typeof data["exitCode"] === "number" ? ` (exit code ${data["exitCode"]})` : ""
  const own = data["ownChange"] ? ` on its own change of ${textOf(data["ownChange"])}` : ""
  return clean(
    `${subject}${words}${exit}${own}${about.find(Boolean) ? `: ${about.find(Boolean)}` : ""}`,
  )
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value
  const text = (value as { text?: unknown } | null | undefined)?.text
  return typeof text === "string" ? text : ""
}
