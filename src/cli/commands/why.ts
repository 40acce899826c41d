/** `why <task>`: explains what a task waits for, and what would end the wait. */
import type { WhyDocument } from "../../core/wire.ts"
import type { Command } from "../command.ts"
import { formatTable } from "../format/table.ts"
import { oneLine } from "../format/text.ts"
import { age } from "../format/time.ts"
import { oneTask } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details: "Every wait has a reason.",

  async run({ connect, output, json, nowMs }, positionals) {
    const why = await (await connect()).why(oneTask(positionals, "why"))
    if (json) output.document(why)
    else output.lines(whyLines(output, why, nowMs))
    return 0
  },
}

function whyLines(output: Output, why: WhyDocument, nowMs: number): string[] {
  const rows = [
    ["since", why.since && `${age(why.since, nowMs)} ago`],
    [why.waitingFor === null ? "next" : "unblock", why.unblock],
    ...why.paths.map((path, at) => [at === 0 ? "paths" : "", path]),
  ].filter(([, value]) => value)
  const painted = rows.map(([name, value]) => [
    `  ${output.paint("dim", name ?? "")}`,
    oneLine(value ?? ""),
  ])
  const waits = why.waitingFor === null ? " for nothing." : `: ${oneLine(why.waitingFor)}`
  return [`Task ${why.task} waits${waits}`, ...formatTable(painted)]
}
