/** Help, made from the commands themselves. */
import { COMMON_OPTIONS } from "./arguments.ts"
import type { Command, Option } from "./command.ts"
import type { Listed } from "./commands.ts"
import { formatTable } from "./format/table.ts"

const ABOUT = `Coppice runs coding agents on git repositories and lands their work safely.

Usage: coppice <command> [options]
`
const FOOTER = `
\`coppice <command> --help\` says more. Every command takes --json and --home <dir>.`

/** What `coppice --help` prints. */
export function overview(commands: readonly Listed[]): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary])
  return [ABOUT, ...formatTable(rows), FOOTER].join("\n")
}

/** What `coppice <command> --help` prints. */
export function describe({ name, summary }: Listed, command: Command): string {
  const { operands, options, details } = command
  const usage = ["coppice", name, operands, "[options]"].filter(Boolean).join(" ")
  const rows = Object.entries({ ...options, ...COMMON_OPTIONS }).map(optionRow)
  return [`${summary}.`, details, "", `Usage: ${usage}`, "", ...formatTable(rows)].join("\n")
}

function optionRow([name, { short, value, about }]: [string, Option]): string[] {
  const flags = `${short ? `-${short}, ` : "    "}--${name}${value ? ` ${value}` : ""}`
  return [`  ${flags}`, about]
}
