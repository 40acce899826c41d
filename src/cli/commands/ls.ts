/** `ls`: lists the tasks. */
import type { TaskLinesDocument } from "../../core/wire.ts"
import type { Command } from "../command.ts"
import { reasonOf, signedState } from "../format/state.ts"
import { formatTable } from "../format/table.ts"
import { cut, oneLine } from "../format/text.ts"
import { age } from "../format/time.ts"
import { noOperands } from "../operands.ts"
import type { Output } from "../output.ts"

/** Longer titles are cut, so that the reason behind them can be read. */
const TITLE_COLUMNS_MAX = 48
const REASON_COLUMNS_MAX = 120

export const command: Command = {
  operands: "",
  options: {},
  details: "The newest is the last.",

  async run({ connect, output, json, nowMs }, positionals) {
    noOperands(positionals, "ls")
    const client = await connect()
    if (json) output.document(await client.list())
    else output.lines(taskLines(output, await client.listLines(), nowMs))
    return 0
  },
}

function taskLines(output: Output, document: TaskLinesDocument, nowMs: number): string[] {
  const { tasks, unreadable = [] } = document
  const spoilt = unreadable.map(
    ({ task, error }) => `Task ${task} cannot be read, and is left as it is: ${oneLine(error)}.`,
  )
  if (tasks.length === 0 && spoilt.length > 0) return spoilt
  if (tasks.length === 0) return ['No tasks. `coppice run "<prompt>"` starts one.']
  const heading = ["ID", "STATE", "AGENT", "AGE", "TITLE", "REASON"]
  const rows = tasks.map((task) => [
    task.id,
    signedState(output, task.state),
    task.agent ?? "-",
    age(task.createdAt, nowMs),
    cut(oneLine(task.title), TITLE_COLUMNS_MAX),
    cut(reasonOf(task), REASON_COLUMNS_MAX),
  ])
  const painted = heading.map((name) => output.paint("dim", name))
  return [...formatTable([painted, ...rows], output.columns), ...spoilt]
}
