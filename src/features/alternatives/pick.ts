/** Runs a prompt with several agents at once, shows what each made, and lets a person pick one. */
import type { Client } from "../../api/client/client.ts"
import { watchTask } from "../../api/client/watch-task.ts"
import type { NewTask } from "../../api/wire/requests.ts"
import type { AlternativesDocument } from "../../api/wire/tasks.ts"
import { oneLine } from "../../base/text/one-line.ts"
import type { Shell } from "../../surfaces/cli/command.ts"
import { repoName, shownLines } from "../../surfaces/cli/format/diff.ts"
import { signedState } from "../../surfaces/cli/format/state.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { cut, dollars } from "../../surfaces/cli/format/text.ts"
import { spanText } from "../../surfaces/cli/format/time.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import { watchToEnd } from "../../surfaces/cli/watch-to-end.ts"
import type { SentFiles } from "../files/wire.ts"

type Alternative = AlternativesDocument["alternatives"][number]

type ToPick = {
  readonly request: NewTask
  readonly agents: readonly string[]
  /** Files that go to each agent. */
  readonly files?: SentFiles
  readonly detach: boolean
}

/** @returns the exit code: 0 if there is work to pick. */
export async function pickOne(
  shell: Shell,
  { request, agents, files, detach }: ToPick,
): Promise<number> {
  const { output, json, askLine } = shell
  const client = await shell.connect()
  const tasks = agents.map((agent) => ({ ...request, agent, follows: [] }))
  const made = (await client.createAll({ tasks, pick: true, ...(files && { files }) })).tasks
  const ids = made.map(({ id }) => id)
  output.lines([`Tasks ${ids.join(", ")} work on it: ${agents.join(", ")}.`, ""])
  if (!detach) await untilAllStopped(shell, client, ids)
  const document = await client.alternatives(ids[0]!)
  if (json) output.document(document)
  const { alternatives } = document
  output.lines(alternativesTable(output, alternatives))
  if (!json) for (const one of alternatives) output.lines(await shortDiff(shell, client, one))
  const pickable = alternatives.filter(({ canPick }) => canPick).map(({ task }) => task)
  if (askLine && pickable.length > 0) {
    const picked = (
      await askLine(`Which task lands (${pickable.join(", ")}; none: Enter)? `)
    ).trim()
    if (pickable.includes(picked))
      return watchToEnd(shell, client, { task: await client.approve(picked), detach: false })
  }
  output.lines(["", ...alternatives.map(commandsFor)])
  return detach || pickable.length > 0 ? 0 : 1
}

/** Lines of a diff below the table: enough to tell the works apart. */
const DIFF_LINES_MAX = 20

async function shortDiff(
  { output }: Shell,
  client: Client,
  { task, agent, files }: Alternative,
): Promise<string[]> {
  if (files === 0) return []
  const { repos } = await client.diff(task, { against: "base" })
  const lines = repos.flatMap((repo) => [
    ...(repos.length > 1 ? [repoName(output, repo)] : []),
    ...shownLines(output, repo),
  ])
  const rest = lines.length - DIFF_LINES_MAX
  const isCut = rest > 0 || repos.some(({ truncated }) => truncated)
  return [
    "",
    output.paint("bold", `${task}  ${oneLine(agent ?? "")}`),
    ...lines.slice(0, DIFF_LINES_MAX),
    ...(isCut ? [`… \`coppice diff ${task}\` shows all of it.`] : []),
  ]
}

const commandsFor = ({ task, canPick }: Alternative) =>
  canPick
    ? `\`coppice diff ${task}\` shows its work, \`coppice approve ${task}\` lands it and cancels the others.`
    : `\`coppice why ${task}\` says what task ${task} waits for.`

/** One that is stuck, or waits for an answer, does not keep the others from being shown. */
async function untilAllStopped(
  shell: Shell,
  client: Client,
  ids: readonly string[],
): Promise<void> {
  const interrupted = new AbortController()
  const restore = shell.onInterrupt(() => interrupted.abort())
  const { signal } = interrupted
  const watch = async (id: string) => {
    for await (const _ of watchTask(client, id, { signal }));
  }
  try {
    await Promise.all(ids.map(watch))
  } finally {
    restore()
  }
}

const HEADING = ["TASK", "AGENT", "STATE", "CHANGES", "GATE", "COST", "TIME", ""]
/** The reason has the end of the line; `why` prints all of it. */
const REASON_COLUMNS_MAX = 60

function alternativesTable(output: Output, alternatives: readonly Alternative[]): string[] {
  const rows = alternatives.map((one) => [
    one.task,
    one.agent ?? "-",
    signedState(output, one.state),
    `${one.files} ${one.files === 1 ? "file" : "files"}, +${one.added} -${one.removed}`,
    one.gate ?? "-",
    one.costUsd === null ? "-" : dollars(one.costUsd),
    spanText(one.durationMs),
    cut(oneLine(one.reason ?? ""), REASON_COLUMNS_MAX),
  ])
  return formatTable([HEADING.map((name) => output.paint("dim", name)), ...rows])
}
