/** `show <task>`: shows one task. */
import type { Client } from "../../../api/client/client.ts"
import { pastEvents } from "../../../api/client/watch-task.ts"
import type { EventDocument } from "../../../api/wire/events.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { bytesText } from "../../../base/text/sizes.ts"
import {
  REPORT_EVENT,
  reportLines,
  type WorkspaceReport,
} from "../../../kernel/workspaces/rules/workspace-report.ts"
import type { Command } from "../command.ts"
import { taskCard } from "../format/card.ts"
import { questionLines } from "../format/questions.ts"
import { latestOf } from "../latest-step.ts"
import { nextStep } from "../next-step.ts"
import { oneTask } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "<task>",
  options: { files: { type: "boolean", about: "Only the files that go with it" } },
  details: "Takes an id, a branch, a work item or the beginning of a title.",

  async run({ connect, output, json, nowMs }, positionals, values) {
    const client = await connect()
    if (values["files"] === true) {
      const document = await client.files(oneTask(positionals, "show"))
      if (json) output.document(document)
      else output.lines(document.files.map(({ path }) => oneLine(path)))
      return 0
    }
    const task = await client.show(oneTask(positionals, "show"))
    if (json) output.document(task)
    else {
      const card = taskCard(output, task, nowMs)
      const latest = await latestOf(client, task, nowMs)
      const worktrees = await readiness(client, output, task)
      const asked = task.attention
        ? await client.questions(task.id)
        : { questions: [], ofSubTasks: [] }
      const questions = asked.questions.length > 0 ? ["", ...questionLines(asked)] : []
      output.lines([
        ...card,
        ...(latest ? [`  ${output.paint("dim", "now")}      ${latest}`] : []),
        ...worktrees,
        ...(await fileLines(client, output, task)),
        ...questions,
        ...(await nextStep(client, task)),
      ])
    }
    return 0
  },
}

/** The files that go with it, with their places. */
async function fileLines(client: Client, output: Output, { id }: TaskDocument): Promise<string[]> {
  const { files } = await client.files(id)
  if (files.length === 0) return []
  const lines = files.map(
    ({ path, bytes, by }) => `  ${oneLine(path)} (${bytesText(bytes)}, ${by})`,
  )
  return ["", `  ${output.paint("dim", "files")}`, ...lines]
}

/** Only for worktrees that exist. */
async function readiness(client: Client, output: Output, task: TaskDocument): Promise<string[]> {
  if (task.repos.every(({ worktree }) => worktree === null)) return []
  const events: EventDocument[] = []
  for await (const event of pastEvents(client, { task: task.id })) events.push(event)
  return readinessBlock(output, events)
}

/** @param events of the task, in order. @returns no lines without a report. */
function readinessBlock(output: Output, events: readonly EventDocument[]): string[] {
  const reports = events.filter(({ type }) => type === REPORT_EVENT)
  const last = new Map(reports.map(({ data }) => [data["repo"], data as WorkspaceReport]))
  return [...last.values()].flatMap((report) => {
    const lines = reportLines(report).map((line) => `  ${oneLine(line)}`)
    const heading = `  ${output.paint("dim", `worktree of ${oneLine(report.repo)}`)}`
    return lines.length > 0 ? ["", heading, ...lines] : []
  })
}
