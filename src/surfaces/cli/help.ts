/** Help, generated from the commands. */

import { closest } from "../../base/text/suggest.ts"
import { COMMON_OPTIONS } from "./arguments.ts"
import type { Command, Option } from "./command.ts"
import { GROUPS, type Listed } from "./commands.ts"
import { formatTable } from "./format/table.ts"
import { findTopic, TOPICS } from "./topics.ts"

const ABOUT = `Coppice runs coding agents on git repositories and lands their work safely.

Usage: coppice <command> [options]
`
const FOOTER = `
\`coppice <command> --help\` says more. Every command takes --json and --home <dir>.`
const MORE = `
\`coppice help --all\` lists every command and topic, and \`coppice help <topic>\` explains one.`

/** `coppice --help`: the everyday commands. */
export function overview(commands: readonly Listed[]): string {
  const rows = commands.filter(({ group }) => group === GROUPS[0]).map(row)
  return [ABOUT, ...formatTable(rows), MORE, FOOTER.trimStart()].join("\n")
}

export function overviewOfAll(commands: readonly Listed[]): string {
  const widest = Math.max(...commands.map(({ name }) => name.length))
  const sections = GROUPS.map((group) => {
    const rows = commands.filter((one) => one.group === group).map(row)
    const padded = rows.map(([name, summary]) => [name!.padEnd(widest + 2), summary!])
    return [`${group}:`, ...formatTable(padded), ""].join("\n")
  })
  const topics = TOPICS.map((topic) => [`  ${topic.name}`.padEnd(widest + 4), topic.summary])
  const explained = ["topics of `coppice help <topic>`:", ...formatTable(topics), ""].join("\n")
  return [ABOUT, ...sections, explained, FOOTER.trimStart()].join("\n")
}

/**
 * `coppice help <topic>`: the topic and the commands of a group with its name.
 *
 * @returns undefined if it is neither.
 */
export function aboutTopic(name: string, commands: readonly Listed[]): string | undefined {
  const topic = findTopic(name)
  const group = GROUPS.find((one) => one === name)
  const rows = formatTable(commands.filter((one) => group && one.group === group).map(row))
  const parts = [
    ...(topic ? [[`${topic.summary}.`, "", ...topic.lines].join("\n")] : []),
    ...(group ? [[`Commands for ${group}:`, ...rows].join("\n")] : []),
  ]
  return parts.length === 0 ? undefined : parts.join("\n\n")
}

/** The topic that begins with the word, or is nearest to it. */
export function nearTopic(word: string): string | undefined {
  const names = TOPICS.map(({ name }) => name)
  return names.find((name) => name.startsWith(word)) ?? closest(word, names)
}

/** `coppice <word> --help`, if several commands begin with that word. */
export function overviewOf(word: string, commands: readonly Listed[]): string {
  const rows = commands.filter(({ name }) => name.startsWith(`${word} `)).map(row)
  return [ABOUT.replace("<command>", `${word} <command>`), ...formatTable(rows), FOOTER].join("\n")
}

const row = ({ name, summary }: Listed): string[] => [`  ${name}`, summary]

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
