/** `logs <task> [-f | --git] [-n]`: prints what a task's agent said and did, or the git commands that ran for it. */
import type { Client } from "../../client/client.ts"
import { restOfLog, watchTask } from "../../client/watch-task.ts"
import { PAGE_MAX } from "../../core/input-bounds.ts"
import type { LogLineDocument } from "../../core/wire/events.ts"
import type { Command } from "../command.ts"
import { logText } from "../format/progress.ts"
import { countValue, oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {
    follow: { type: "boolean", short: "f", about: "Follow until the task is done or stopped" },
    git: {
      type: "boolean",
      about: "Print its latest git commands instead, with time and exit code",
    },
    number: { type: "string", short: "n", value: "<n>", about: "Begin at the last n lines" },
  },
  details: "With --json and -f, prints one document a line.",

  async run({ connect, output, json }, positionals, values) {
    const { follow: isFollowed, git } = values
    const count = countValue(values, "number")
    const client = await connect()
    const { id } = await client.show(oneTask(positionals, "logs"))
    const isAsked = isFollowed && !git
    const follow = isAsked && (await client.status()).running
    const collected: LogLineDocument[] = []
    const kind = git ? "git" : undefined
    const after = count === undefined ? 0 : await beforeLast(client, id, { count, kind })
    for await (const line of follow
      ? followed(client, id, after)
      : restOfLog(client, id, after, kind)) {
      if (json && follow) output.documentLine(line)
      else if (json) collected.push(line)
      else output.line(logText(line))
    }
    if (json && !follow) output.document({ lines: collected })
    if (isAsked && !follow) output.note("The daemon is stopped; `coppice up -d` starts it again.")
    return 0
  },
}

async function* followed(
  client: Client,
  id: string,
  after: number,
): AsyncGenerator<LogLineDocument> {
  for await (const seen of watchTask(client, id, { after: { event: 0, line: after } }))
    if (seen.kind === "line") yield seen.line
}

/** The number of the line before the last `count` ones. */
async function beforeLast(
  client: Client,
  id: string,
  { count, kind }: { readonly count: number; readonly kind: "git" | undefined },
): Promise<number> {
  const last = Math.max(1, Math.min(count, PAGE_MAX))
  const { lines } = await client.log(id, { last, ...(kind && { kind }) })
  return (count === 0 ? lines.at(-1)?.seq : (lines[0]?.seq ?? 1) - 1) ?? 0
}
