/** Writes the man pages, from the table of commands and the topics that `coppice help` has. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { COMMON_OPTIONS } from "../src/surfaces/cli/arguments.ts"
import type { Command, Option } from "../src/surfaces/cli/command.ts"
import { COMMANDS, GROUPS, type Listed } from "../src/surfaces/cli/commands.ts"
import { findTopic, TOPICS, type Topic } from "../src/surfaces/cli/topics.ts"

type Page = {
  readonly name: string
  /** 1: commands. 7: everything else. */
  readonly section: 1 | 7
  readonly summary: string
  readonly body: readonly string[]
}

/** @returns the pages by file name. */
export async function manPages(version: string): Promise<ReadonlyMap<string, string>> {
  const commands = await Promise.all(
    COMMANDS.map(async (one) => aboutCommand(one, (await one.load()).command)),
  )
  const pages = [overview(), ...commands, ...TOPICS.map(aboutTopic)]
  return new Map(pages.map((page) => [`${page.name}.${page.section}`, roff(page, version)]))
}

/** @param folder is made. */
export async function writeManPages(folder: string, version: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of await manPages(version)) writeFileSync(join(folder, name), text)
}

function overview(): Page {
  const groups = GROUPS.flatMap((group) => [
    `.SH ${heading(group)}`,
    ...COMMANDS.filter((one) => one.group === group).flatMap(({ name, summary }) =>
      entry(bold(`coppice ${name}`), [summary]),
    ),
  ])
  return {
    name: "coppice",
    section: 1,
    summary: "run coding agents on git repositories and land their work safely",
    body: [
      ".SH SYNOPSIS",
      `${bold("coppice")} ${plain("<command> [options]")}`,
      ...groups,
      ".SH OPTIONS OF EVERY COMMAND",
      ...optionEntries(COMMON_OPTIONS),
      ".SH EXIT STATUS",
      ...paragraphs(findTopic("exit-codes")?.lines ?? []),
      ".SH SEE ALSO",
      `${TOPICS.map(({ name }) => `${bold(`coppice-${name}`)}(7)`).join(",\n")}`,
    ],
  }
}

function aboutCommand({ name, summary }: Listed, { operands, options, details }: Command): Page {
  return {
    name: `coppice-${name.replaceAll(" ", "-")}`,
    section: 1,
    summary: lowerFirst(summary),
    body: [
      ".SH SYNOPSIS",
      `${bold(`coppice ${name}`)} ${plain([operands, "[options]"].filter(Boolean).join(" "))}`,
      ".SH DESCRIPTION",
      ...paragraphs(details.split("\n")),
      ".SH OPTIONS",
      ...optionEntries({ ...options, ...COMMON_OPTIONS }),
      ".SH SEE ALSO",
      `${bold("coppice")}(1)`,
    ],
  }
}

const aboutTopic = ({ name, summary, lines }: Topic): Page => ({
  name: `coppice-${name}`,
  section: 7,
  summary: lowerFirst(summary),
  body: [".SH DESCRIPTION", ...paragraphs(lines), ".SH SEE ALSO", `${bold("coppice")}(1)`],
})

function roff({ name, section, summary, body }: Page, version: string): string {
  const title = `.TH ${heading(name)} ${section} "" "Coppice ${version}" "Coppice"`
  const named = [".SH NAME", `${plain(name)} \\- ${plain(summary)}`]
  return `${[title, ...named, ...body].join("\n")}\n`
}

const heading = (text: string): string => `"${plain(text.toUpperCase())}"`

function optionEntries(options: Readonly<Record<string, Option>>): string[] {
  return Object.entries(options).flatMap(([name, { short, value, about }]) => {
    const flags = [...(short ? [bold(`-${short}`)] : []), bold(`--${name}`)].join(", ")
    return entry(value ? `${flags} ${plain(value)}` : flags, [`${about}.`])
  })
}

const entry = (term: string, lines: readonly string[]): string[] => [
  ".TP",
  term,
  ...lines.map(text),
]

/** An indented line keeps its place; an empty one ends a paragraph. */
function paragraphs(lines: readonly string[]): string[] {
  let isFilled = true
  const all = lines.flatMap((line) => {
    const isRow = line.startsWith(" ")
    const change = isRow === isFilled ? [isRow ? ".nf" : ".fi"] : []
    isFilled = !isRow
    return line === "" ? [...change, ".PP"] : [...change, text(line)]
  })
  // A macro of paragraphs at an end, or before a list, does nothing and is warned of.
  return [
    ...all.filter((line, at) => line !== ".PP" || at < all.length - 1),
    ...(isFilled ? [] : [".fi"]),
  ]
}

/** A line of text, with `code` in bold. */
function text(line: string): string {
  const parts = line.split("`").map((part, at) => (at % 2 === 1 ? bold(part) : plain(part)))
  return parts.join("").replace(/^(?=[.'])/, "\\&")
}

const bold = (code: string): string => `\\fB${plain(code)}\\fR`

/** Roff takes a backslash as its own, and `-` as a hyphen that may break. */
const plain = (words: string): string => words.replaceAll("\\", "\\e").replaceAll("-", "\\-")

const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1)
