/** `events [task] [-f]`: prints what happened, to all tasks or to one. */
import type { Client, EventQuery } from "../../../api/client/client.ts"
import { pastEvents } from "../../../api/client/watch-task.ts"
import type { EventDocument } from "../../../api/wire/events.ts"
import { PAGE_MAX } from "../../../base/input-bounds.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import type { Command, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { clock } from "../format/time.ts"
import { countValue } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "[task]",
  options: {
    follow: { type: "boolean", short: "f", about: "Follow new events" },
    after: { type: "string", value: "<seq>", about: "Only events after this number" },
    tail: { type: "string", value: "<n>", about: "Begin at the last n events" },
  },
  details: "With --json and -f, prints one document a line.",

  async run({ connect, output, json }, positionals, values) {
    const client = await connect()
    const query = await queryFrom(client, positionals, values)
    const collected: EventDocument[] = []
    const follow = values["follow"] === true
    for await (const event of follow ? client.followEvents(query) : pastEvents(client, query)) {
      if (json && follow) output.documentLine(event)
      else if (json) collected.push(event)
      else output.line(eventLine(output, event))
    }
    if (json && !follow) output.document({ events: collected })
    return 0
  },
}

/** The notice of a gap is not one of the last events. */
const FORGOTTEN = "events.forgotten"

async function queryFrom(
  client: Client,
  [task, ...rest]: readonly string[],
  values: Values,
): Promise<EventQuery> {
  if (rest.length > 0) throw new UsageError("`events` takes at most one task.")
  const after = countValue(values, "after")
  const count = countValue(values, "tail")
  if (after !== undefined && count !== undefined)
    throw new UsageError("`--after` and `--tail` both say where to begin.")
  const of = task ? { task: (await client.show(task)).id } : {}
  if (count === undefined) return { ...of, after: after ?? 0 }
  const last = Math.max(1, Math.min(count, PAGE_MAX))
  const { events } = await client.events({ ...of, last })
  const first = events.find(({ type }) => type !== FORGOTTEN)
  const from = count === 0 ? events.at(-1)?.seq : (first?.seq ?? 1) - 1
  return { ...of, after: from ?? 0 }
}

function eventLine(output: Output, { seq, at, type, task, data }: EventDocument): string {
  const details = Object.entries(data).flatMap(([name, value]) => factOf(name, value))
  const where = task === null ? "" : ` task ${task}`
  const facts = oneLine(details.join(" "))
  return `${seq} ${clock(at)} ${output.paint("bold", type)}${where} ${output.paint("dim", facts)}`.trimEnd()
}

/** `name=value`, with the parts of an object one by one: `usage.turns=1`. Empty values are left out. */
function factOf(name: string, value: unknown): string[] {
  if (value === null || value === "") return []
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.length > 0 ? [`${name}=${value.join(",")}`] : []
  if (Array.isArray(value)) return value.flatMap((item, at) => factOf(`${name}.${at + 1}`, item))
  if (typeof value !== "object") return [`${name}=${value}`]
  return Object.entries(value).flatMap(([part, inner]) => factOf(`${name}.${part}`, inner))
}
