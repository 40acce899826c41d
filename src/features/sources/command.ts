/** `sources`: lists the work sources, their last polls, and their open items. */
import { oneLine } from "../../base/text/one-line.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { ageText } from "../../surfaces/cli/format/time.ts"
import { noOperands } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import type { SourcesDocument } from "./wire.ts"

export const command: Command = {
  operands: "",
  options: {},
  details:
    "The daemon polls sources while it runs; `coppice up -d` starts it.\n" +
    "An `ended` item is not taken again until it has left the list of ready items.",

  async run({ connect, output, json, nowMs }, positionals) {
    noOperands(positionals, "sources")
    const found = await (await connect()).sources()
    if (json) output.document(found)
    else output.lines(sourcesLines(output, found, nowMs))
    return 0
  },
}

function sourcesLines(
  output: Output,
  { sources, items }: SourcesDocument,
  nowMs: number,
): string[] {
  if (sources.length === 0) return ["coppice.yml has no sources."]
  const dim = (names: readonly string[]) => names.map((name) => output.paint("dim", name))
  const rows = sources.map(({ name, type, polledAt, open, max }) => {
    return [name, type, polledAt === null ? "never" : ageText(polledAt, nowMs), `${open} of ${max}`]
  })
  const notes = sources.flatMap(({ name, error, retryAt, problems }) => {
    const retry = retryAt === null ? "" : ` The next try is at ${retryAt}.`
    const failure = error === null ? [] : [`${name} cannot be used: ${error}${retry}`]
    return [...failure, ...problems].map(oneLine)
  })
  const lines = items.map(({ source, item, state, task, since }) => {
    return [source, oneLine(item), state, task ?? "", ageText(since, nowMs)]
  })
  return [
    ...formatTable([dim(["SOURCE", "TYPE", "POLLED", "OPEN"]), ...rows], output.columns),
    ...notes,
    ...(lines.length === 0
      ? []
      : ["", ...formatTable([dim(["SOURCE", "ITEM", "STATE", "TASK", "FOR"]), ...lines])]),
  ]
}
