/** Help, generated from the commands. */
import { COMMON_OPTIONS } from "./arguments.ts"
import type { Command, Option } from "./command.ts"
import { GROUPS, type Group, type Listed } from "./commands.ts"
import { formatTable } from "./format/table.ts"

const ABOUT = `Coppice runs coding agents on git repositories and lands their work safely.

Usage: coppice <command> [options]
`
const FOOTER = `
\`coppice <command> --help\` says more. Every command takes --json and --home <dir>.`
const MORE = `
\`coppice help --all\` lists every command; \`coppice help <topic>\` those of tasks, landing, worktrees or fleet.`

/** `coppice --help`: the everyday commands. */
export function overview(commands: readonly Listed[]): string {
  const rows = commands.filter(({ group }) => group === GROUPS[0]).map(row)
  return [ABOUT, ...formatTable(rows), MORE, FOOTER.trimStart()].join("\n")
}

/** `coppice help --all`. */
export function overviewOfAll(commands: readonly Listed[]): string {
  const widest = Math.max(...commands.map(({ name }) => name.length))
  const sections = GROUPS.map((group) => {
    const rows = commands.filter((one) => one.group === group).map(row)
    const padded = rows.map(([name, summary]) => [name!.padEnd(widest + 2), summary!])
    return [`${group}:`, ...formatTable(padded), ""].join("\n")
  })
  return [ABOUT, ...sections, FOOTER.trimStart()].join("\n")
}

/** `coppice help <group>`. */
export function overviewOfGroup(group: Group, commands: readonly Listed[]): string {
  const rows = commands.filter((one) => one.group === group).map(row)
  return [ABOUT, ...formatTable(rows), FOOTER].join("\n")
}

/** `coppice <word> --help`, if several commands begin with that word. */
export function overviewOf(word: string, commands: readonly Listed[]): string {
  const rows = commands.filter(({ name }) => name.startsWith(`${word} `)).map(row)
  return [ABOUT.replace("<command>", `${word} <command>`), ...formatTable(rows), FOOTER].join("\n")
}

const row = ({ name, summary }: Listed): string[] => [`  ${name}`, summary]

/** `coppice <command> --help`. */
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
