/** `why <task>`: explains what a task waits for, and what would end the wait. */

import type { WhyDocument } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { reveal } from "../../../base/text/shown.ts"
import { standInWords } from "../../../kernel/tasks/rules/fallback.ts"
import type { Command } from "../command.ts"
import { formatTable } from "../format/table.ts"
import { ageText } from "../format/time.ts"
import { latestOf } from "../latest-step.ts"
import { oneTask } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details: "Shows what the task waits for, since when, and what would unblock it.",

  async run({ connect, output, json, nowMs }, positionals) {
    const client = await connect()
    const why = await client.why(oneTask(positionals, "why"))
    if (json) output.document(why)
    else {
      const { id, state } = await client.show(why.task)
      const latest = await latestOf(client, { id, state }, nowMs)
      output.lines(whyLines(output, why, { state, latest, nowMs }))
    }
    return 0
  },
}

/** The end of a program's output has its cause. */
const REPORT_LINES_MAX = 20

type Now = {
  readonly state: string
  readonly latest: string | undefined
  readonly nowMs: number
}

function whyLines(output: Output, why: WhyDocument, { state, latest, nowMs }: Now): string[] {
  const rows = [
    ["since", why.since && `${ageText(why.since, nowMs)} ago`],
    [why.waitingFor === null ? "next" : "unblock", why.unblock],
    ["agent", why.standIn && standInWords(why.agent, why.standIn)],
    ["now", latest],
    ...why.paths.map((path, at) => [at === 0 ? "paths" : "", path]),
  ].filter(([, value]) => value)
  const painted = rows.map(([name, value]) => [
    `  ${output.paint("dim", name ?? "")}`,
    oneLine(value ?? ""),
  ])
  const [first = "", ...report] = why.waitingFor?.trimEnd().split("\n") ?? []
  const waits = why.waitingFor === null ? `nothing: it is ${state}.` : oneLine(first)
  const more = report.length - REPORT_LINES_MAX
  return [
    `Task ${why.task} waits for ${waits}`,
    ...(more > 0 ? [`    … ${more} earlier lines`] : []),
    ...report.slice(-REPORT_LINES_MAX).map((line) => `    ${reveal(line)}`),
    ...formatTable(painted),
  ]
}
