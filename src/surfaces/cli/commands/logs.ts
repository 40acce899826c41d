/**
 * `logs <task> [-f | --git] [-n]`: prints what a task's agent said and did, or the git commands that ran for it.
 * `logs --daemon [-f] [-n]`: prints the log of the home's daemon, from its file.
 */
import type { Client } from "../../../api/client/client.ts"
import { DaemonLog } from "../../../api/client/daemon-log.ts"
import { findHome } from "../../../api/client/home.ts"
import { restOfLog, type Watching, watchTask } from "../../../api/client/watch-task.ts"
import type { LogLineDocument } from "../../../api/wire/events.ts"
import { PAGE_MAX } from "../../../base/input-bounds.ts"
import type { Command, Shell, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { daemonLogLines } from "../format/daemon-log.ts"
import { isOfTool, logText } from "../format/progress.ts"
import { countValue, noOperands, oneTask } from "../operands.ts"

/** About a screen or two; `-n` says more. */
const DAEMON_LINES = 100

export const command: Command = {
  operands: "<task> | --daemon",
  options: {
    follow: { type: "boolean", short: "f", about: "Follow until the task is done or stopped" },
    git: {
      type: "boolean",
      about: "Print its latest git commands instead, with time and exit code",
    },
    daemon: {
      type: "boolean",
      about: "Print the log of the home's daemon instead, also after its end",
    },
    number: { type: "string", short: "n", value: "<n>", about: "Begin at the last n lines" },
  },
  details:
    "It has the start and the end of a tool's output. With --json and -f, prints one document a line.",

  async run(shell, positionals, values) {
    if (values["daemon"]) return await printDaemonLog(shell, positionals, values)
    const { connect, output, json } = shell
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
      ? followed(client, id, { after, onWriting: output.drafting })
      : restOfLog(client, id, after, kind)) {
      if (json && follow) output.documentLine(line)
      else if (json) collected.push(line)
      else output.line(isOfTool(line) ? output.paint("dim", logText(line)) : logText(line))
    }
    if (json && !follow) output.document({ lines: collected })
    if (isAsked && !follow) output.note("The daemon is stopped; `coppice up -d` starts it again.")
    return 0
  },
}

/** Reads the file: no daemon is asked, and none is started. */
async function printDaemonLog(
  { output, json, cwd, env, home, onInterrupt }: Shell,
  positionals: readonly string[],
  values: Values,
): Promise<number> {
  noOperands(positionals, "logs --daemon")
  if (values["git"]) throw new UsageError("`--git` is about a task, and `--daemon` about none.")
  const log = new DaemonLog(findHome(cwd, { home, env }).home, env)
  const lines = log.last(countValue(values, "number") ?? DAEMON_LINES)
  const isFollowed = values["follow"] === true
  if (json && !isFollowed) {
    output.document({ lines })
    return 0
  }
  const print = (line: (typeof lines)[number]) =>
    json ? output.documentLine(line) : output.lines(daemonLogLines(output, line))
  lines.forEach(print)
  if (lines.length === 0) output.note("The log is empty: no daemon of this home has run yet.")
  if (!isFollowed) return 0
  const stop = new AbortController()
  const release = onInterrupt(() => stop.abort())
  for await (const line of log.follow(stop.signal)) print(line)
  release()
  return 0
}

async function* followed(
  client: Client,
  id: string,
  { after, onWriting }: Pick<Watching, "onWriting"> & { readonly after: number },
): AsyncGenerator<LogLineDocument> {
  for await (const seen of watchTask(client, id, { after: { event: 0, line: after }, onWriting }))
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
