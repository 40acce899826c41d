/** `logs <task> [-f | --git]`: prints what a task's agent said and did, or the git commands that ran for it. */
import type { Client } from "../../client/client.ts"
import { restOfLog, watchTask } from "../../client/watch-task.ts"
import type { LogLineDocument } from "../../core/wire/events.ts"
import type { Command } from "../command.ts"
import { logText } from "../format/progress.ts"
import { oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {
    follow: { type: "boolean", short: "f", about: "Follow until the task is done or stopped" },
    git: {
      type: "boolean",
      about: "Print its latest git commands instead, with time and exit code",
    },
  },
  details: "With --json and -f, prints one document a line.",

  async run({ connect, output, json }, positionals, { follow: isFollowed, git }) {
    const client = await connect()
    const { id } = await client.show(oneTask(positionals, "logs"))
    const isAsked = isFollowed && !git
    const follow = isAsked && (await client.status()).running
    const collected: LogLineDocument[] = []
    for await (const line of follow
      ? followed(client, id)
      : restOfLog(client, id, 0, git ? "git" : undefined)) {
      if (json && follow) output.documentLine(line)
      else if (json) collected.push(line)
      else output.line(logText(line))
    }
    if (json && !follow) output.document({ lines: collected })
    if (isAsked && !follow) output.note("The daemon is stopped; `coppice up -d` starts it again.")
    return 0
  },
}

async function* followed(client: Client, id: string): AsyncGenerator<LogLineDocument> {
  for await (const seen of watchTask(client, id)) if (seen.kind === "line") yield seen.line
}
