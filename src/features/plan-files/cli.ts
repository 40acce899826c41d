/** Reads the plan file of `run --plan-file`, and shows its tasks. */
import { readFileSync } from "node:fs"
import { extname, resolve } from "node:path"
import type { NewTask, NewTasks } from "../../api/wire/requests.ts"
import { oneLine } from "../../base/text/one-line.ts"
import type { Shell } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { formatTable } from "../../surfaces/cli/format/table.ts"
import { plural } from "../../surfaces/cli/format/text.ts"
import { readPlanFile } from "./rules.ts"

/** A longer file is no list that a person reads. */
const FILE_CHARS_MAX = 1_000_000
const MARKDOWN = [".md", ".markdown"]
const YAML = [".yml", ".yaml"]

/** @param defaults for what an entry leaves open. @throws {UsageError} that names every mistake. */
export function tasksOfPlanFile(
  cwd: string,
  file: string,
  defaults: Omit<NewTask, "prompt">,
): NewTasks {
  const isMarkdown = MARKDOWN.includes(extname(file).toLowerCase())
  if (!isMarkdown && !YAML.includes(extname(file).toLowerCase()))
    throw new UsageError(`The name of a plan file ends in ${[...MARKDOWN, ...YAML].join(", ")}.`)
  const read = readPlanFile(textOf(resolve(cwd, file), file), isMarkdown)
  if (read.kind === "ok") {
    const { on: _, from: __, copy: ___, ...elsewhere } = defaults
    const defaultsOf = ({ stacksOn }: NewTasks["tasks"][number]) =>
      stacksOn === undefined ? defaults : elsewhere
    return { tasks: read.tasks.map((task) => ({ ...defaultsOf(task), ...task })) }
  }
  const lines = read.problems.map(({ path, message }) => `  ${path ? `${path} ` : ""}${message}`)
  throw new UsageError([`${file} is not a plan:`, ...lines.map(oneLine)].join("\n"), [
    "`coppice run --help` shows what a plan file looks like.",
  ])
}

function textOf(path: string, file: string): string {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === "ENOENT" ? `There is no file ${file}.` : `${file} cannot be read (${code}).`
    throw new UsageError(why, [], { cause: error })
  }
  if (text.length <= FILE_CHARS_MAX) return text
  throw new UsageError(`${file} has more than ${FILE_CHARS_MAX} characters.`)
}

/** Adds the tasks, all or none; with `isDryRun` only shows them. @returns the exit code. */
export async function runPlanFile(
  { output, json, connect }: Shell,
  list: NewTasks,
  isDryRun: boolean,
): Promise<number> {
  if (isDryRun) {
    if (json) output.document(list)
    output.lines([
      `${plural(list.tasks.length, "task")} would be added:`,
      ...formatTable(list.tasks.map(rowOf)),
    ])
    return 0
  }
  const client = await connect()
  const made = await client.createAll(list)
  if (json) output.document(made)
  output.lines([
    ...formatTable(made.tasks.map(({ id, title }) => [`  ${id}`, oneLine(title)])),
    "",
    "`coppice ls --watch` shows how they get on.",
  ])
  return 0
}

const rowOf = (task: NewTasks["tasks"][number], at: number) => {
  const { title, agent, follows, stacksOn, prompt } = task
  const after = follows.length > 0 ? [`after ${follows.map((other) => other + 1).join(", ")}`] : []
  const on = stacksOn === undefined ? [] : [`on ${stacksOn + 1}`]
  return [`  ${at + 1}`, oneLine(title ?? prompt), agent ?? "", [...on, ...after].join(", ")]
}
