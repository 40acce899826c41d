/** `queue`: lists the landings of each target in queue order. */
import { oneLine } from "../../core/one-line.ts"
import type { QueueDocument } from "../../core/wire/landings.ts"
import type { Command } from "../command.ts"
import { formatTable } from "../format/table.ts"
import { cut } from "../format/text.ts"
import { age } from "../format/time.ts"
import { noOperands } from "../operands.ts"
import type { Output } from "../output.ts"

/** Longer titles are cut, so that the reason of a wait stays readable. */
const TITLE_COLUMNS_MAX = 32

export const command: Command = {
  operands: "",
  options: {},
  details:
    "The first one lands next. A landing that waits for something else is listed last, and does not\n" +
    "block others.",

  async run({ connect, output, json, nowMs }, positionals) {
    noOperands(positionals, "queue")
    const queue = await (await connect()).queue()
    if (json) output.document(queue)
    else output.lines(queueLines(output, queue, nowMs))
    return 0
  },
}

function queueLines(output: Output, { queues }: QueueDocument, nowMs: number): string[] {
  if (queues.length === 0) return ["The queue is empty."]
  return queues.flatMap(({ path, target, landings }) => {
    const rows = landings.map(({ task, state, since, title, waitingFor }) => [
      `  ${task}`,
      state,
      age(since, nowMs),
      cut(oneLine(title), TITLE_COLUMNS_MAX),
      oneLine(waitingFor ?? ""),
    ])
    const heading = ["  TASK", "LANDING", "FOR", "TITLE", "WAITS FOR"]
    const painted = heading.map((name) => output.paint("dim", name))
    const name = output.paint("bold", `${oneLine(target)} of ${oneLine(path)}`)
    return [name, ...formatTable([painted, ...rows], output.columns)]
  })
}
