/** `stats [--since <when>]`: counts what landed, waited, got stuck and cost. */

import { oneLine } from "../../base/text/one-line.ts"
import { parseAge } from "../../config/units.ts"
import type { Command, Values } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { outcomeText } from "../../surfaces/cli/format/state.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { dollars, plural } from "../../surfaces/cli/format/text.ts"
import { spanText } from "../../surfaces/cli/format/time.ts"
import { noOperands, textValue } from "../../surfaces/cli/operands.ts"
import type { Output } from "../../surfaces/cli/output.ts"
import type { StatsDocument } from "./wire.ts"

const SINCE_USUAL = "30d"

export const command: Command = {
  operands: "",
  options: {
    since: {
      type: "string",
      value: "<when>",
      about: `Count from then: 7d, 12h, 2026-05-31 (default: ${SINCE_USUAL})`,
    },
  },
  details:
    "Counts from the events that are kept (`maintenance.retention`). A wait that still lasts counts too.",

  async run({ connect, output, json, nowMs }, positionals, values) {
    noOperands(positionals, "stats")
    const since = new Date(sinceMs(values, nowMs)).toISOString()
    const stats = await (await connect()).stats({ since })
    if (json) output.document(stats)
    else output.lines(statsLines(output, stats))
    return 0
  },
}

/** A span back from now, or the start of a local day. @throws UsageError */
function sinceMs(values: Values, nowMs: number): number {
  const text = textValue(values, "since") ?? SINCE_USUAL
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.test(text) ? Date.parse(`${text}T00:00`) : Number.NaN
  if (!Number.isNaN(day)) return day
  const age = parseAge(text)
  if (age.kind === "ok") return nowMs - age.ms
  throw new UsageError(`--since ${oneLine(text)} is neither a span nor a day.`, [
    "Write 12h, 7d or 2026-05-31.",
  ])
}

function statsLines(output: Output, stats: StatsDocument): string[] {
  const { days, agents, timeToLand, waits, handBacks, stuck } = stats
  if (days.length === 0 && agents.length === 0) return ["Nothing was counted in this time."]
  const landed = days.reduce((sum, day) => sum + day.landed, 0)
  const sections = [
    table(output, OF_DAY, days, (day) => [
      day.day,
      ...counts(day),
      took(day.timeToLand?.medianMs),
      took(day.timeToLand?.p90Ms),
      money(day.costUsd),
    ]),
    table(output, ["AGENT", "LANDED", "HANDED BACK", "STUCK", "TURNS", "COST"], agents, (of) => [
      name(of.agent),
      ...counts(of),
      String(of.turns),
      money(of.costUsd),
    ]),
    table(output, ["WAITED FOR", "TASKS", "IN ALL"], waits, (wait) => [
      outcomeText(wait.reason),
      String(wait.tasks),
      spanText(wait.totalMs),
    ]),
    table(output, ["HANDED BACK FOR", "TIMES"], handBacks, ({ reason, count }) => [
      outcomeText(reason),
      String(count),
    ]),
    table(output, ["STUCK FOR", "AGENT", "TIMES"], stuck, ({ reason, agent, count }) => [
      reason.replaceAll("_", " "),
      name(agent),
      String(count),
    ]),
  ]
  const times = timeToLand
    ? `, half of them within ${spanText(timeToLand.medianMs)}, nine of ten within ${spanText(timeToLand.p90Ms)}, all within ${spanText(timeToLand.mostMs)}`
    : ""
  return [`${plural(landed, "task")} landed${times}.`, ...sections.flat()]
}

const OF_DAY = ["DAY", "LANDED", "HANDED BACK", "STUCK", "HALF WITHIN", "9 OF 10 WITHIN", "COST"]
const took = (ms: number | undefined): string => (ms === undefined ? "-" : spanText(ms))

const counts = (of: { landed: number; handedBack: number; stuck: number }): string[] =>
  [of.landed, of.handedBack, of.stuck].map(String)

const name = (agent: string | null): string => (agent === null ? "-" : oneLine(agent))

const money = (usd: number | null): string => (usd === null ? "-" : dollars(usd))

/** Nothing where there are no rows. */
function table<Row>(
  output: Output,
  heading: readonly string[],
  rows: readonly Row[],
  cells: (row: Row) => string[],
): string[] {
  if (rows.length === 0) return []
  const painted = heading.map((text) => output.paint("dim", text))
  return ["", ...formatTable([painted, ...rows.map(cells)], output.columns)]
}
