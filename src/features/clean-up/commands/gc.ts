/** `gc`: removes what is safely stored elsewhere, and says what stays and why. */
import { oneLine } from "../../../base/text/one-line.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { plural } from "../../../surfaces/cli/format/text.ts"
import { noOperands } from "../../../surfaces/cli/operands.ts"
import type { Output } from "../../../surfaces/cli/output.ts"
import type { GcDocument, GcItem } from "../wire.ts"

export const command: Command = {
  operands: "",
  options: {
    "dry-run": { type: "boolean", about: "Only show what would be done" },
  },
  details: "Only removes what is safely stored elsewhere. Keeps anything doubtful, and says why.",

  async run({ connect, output, json }, positionals, values) {
    noOperands(positionals, "gc")
    const client = await connect()
    const document = await client.gc({ dryRun: values["dry-run"] === true })
    if (json) output.document(document)
    else output.lines(gcLines(output, document))
    return 0
  },
}

function gcLines(output: Output, document: GcDocument): string[] {
  const { dryRun, repos, records, notices } = document
  const named = repos.filter(({ items }) => items.length > 0)
  const lines = named.flatMap(({ path, items }) => [
    output.paint("bold", oneLine(path)),
    ...items.flatMap((item) => itemLines(item, dryRun)),
  ])
  const deleted = recordLines(records, dryRun)
  const isClean = deleted.length === 0 && named.every(({ items }) => items.every(isKept))
  return [
    ...lines,
    ...deleted,
    ...notices.map(oneLine),
    ...(isClean ? ["There is nothing to remove."] : []),
  ]
}

const isKept = ({ action }: GcItem) => action === "keep"

function itemLines(item: GcItem, dryRun: boolean): string[] {
  const { name, why, note, rescued } = item
  const saved = rescued.length > 0 ? [`      saved: ${rescued.map(oneLine).join(", ")}`] : []
  return [
    `  ${word(item, dryRun)}  ${oneLine(name)}`,
    ...taskLine(item),
    `      ${oneLine(note === null ? why : `${why}; ${note}`)}`,
    ...saved,
  ]
}

function taskLine({ task, title, state }: GcItem): string[] {
  if (task === null) return []
  return [`      task ${task}${title === null ? "" : `: ${oneLine(title)} (${state})`}`]
}

function word({ action, outcome }: GcItem, dryRun: boolean): string {
  if (action === "keep") return "keep   "
  if (dryRun) return "remove "
  return { removed: "removed", kept: "kept   ", later: "later  " }[outcome ?? "kept"]
}

function recordLines({ tasks, deleted }: GcDocument["records"], dryRun: boolean): string[] {
  const count = dryRun ? tasks : (deleted ?? 0)
  if (count === 0) return []
  const what = dryRun
    ? `Would delete the records of ${plural(count, "finished task")}`
    : `Deleted ${plural(count, "row")} of records`
  return [`${what} older than \`maintenance.retention\`.`]
}
