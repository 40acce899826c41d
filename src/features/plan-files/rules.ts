/**
 * Reads a plan file, a list of tasks in YAML or Markdown, as requests for tasks. Pure.
 *
 * The tasks come in an order in which each follows only earlier ones, so no circle gets through.
 */
import { z } from "zod"
import { type ListedTask, readMarkdownTasks, TASKS_MAX } from "../../api/wire/markdown-tasks.ts"
import { NewTask, type NewTasks } from "../../api/wire/requests.ts"
import { readYaml } from "../../base/text/yaml.ts"
import { type Problem, toProblems } from "../../config/problems.ts"

const FileEntry = NewTask.pick({
  agent: true,
  model: true,
  workItem: true,
  repos: true,
  land: true,
  plan: true,
  priority: true,
})
  .extend({
    title: NewTask.shape.title.unwrap(),
    /** Default: its title. */
    prompt: NewTask.shape.prompt.optional(),
    /** A short name for `after` and `on`. */
    id: z.string().optional(),
    /** Other tasks of the plan file, by id or title. One text may name several, with commas. */
    after: z.union([z.string(), z.array(z.string())], "must be text or a list").default([]),
    /** The task of the plan file whose work it starts from, by id or title. */
    on: z.string().optional(),
  })
  .strict()
type FileEntry = z.infer<typeof FileEntry>

type OrderedTasks = NewTasks["tasks"]
export type ReadTasks =
  | { readonly kind: "ok"; readonly tasks: OrderedTasks }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }

/** @param isMarkdown else YAML: a list, or a section `tasks` with one. */
export function readPlanFile(file: string, isMarkdown: boolean): ReadTasks {
  const text = file.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  const { items, problems } = isMarkdown ? readMarkdownTasks(text) : readYamlTasks(text)
  if (problems.length > 0) return { kind: "invalid", problems }
  if (items.length === 0) return mistake("has no tasks")
  if (items.length > TASKS_MAX) return mistake(`has more than ${TASKS_MAX} tasks`)
  const entries: FileEntry[] = []
  const done = new Set<FileEntry>()
  for (const [at, { value, isDone }] of items.entries()) {
    const read = FileEntry.safeParse(value)
    if (read.success) entries.push(read.data)
    else problems.push(...toProblems(read.error, FileEntry, value).map(placedAt(at)))
    if (read.success && isDone) done.add(read.data)
  }
  return problems.length > 0 ? { kind: "invalid", problems } : inOrder(entries, done)
}

/** Tasks are counted from 1, as people do. */
const placedAt =
  (at: number) =>
  ({ path, message }: Problem): Problem => ({
    path: path === "" ? `task ${at + 1}` : `task ${at + 1}: ${path}`,
    message,
  })

function readYamlTasks(text: string): { items: ListedTask[]; problems: Problem[] } {
  const read = readYaml(text)
  if (read.kind === "invalid")
    return { items: [], problems: read.messages.map((message) => ({ path: "", message })) }
  const tasks = (read.value as { readonly tasks?: unknown } | null)?.tasks
  const list = tasks ?? read.value
  if (!Array.isArray(list))
    return { items: [], problems: [{ path: "", message: "must be a list of tasks" }] }
  return { items: list.map((value) => ({ value, isDone: false })), problems: [] }
}

/** Tasks that a person has ticked are left out, and no task waits for them. */
function inOrder(entries: readonly FileEntry[], done: ReadonlySet<FileEntry>): ReadTasks {
  const problems: Problem[] = []
  const after = new Map(entries.map((entry) => [entry, ahead(entries, entry, problems)]))
  const lower = new Map(
    entries.map((own) => [own, find(entries, { own, key: "on", name: own.on ?? "" }, problems)[0]]),
  )
  if (problems.length > 0) return { kind: "invalid", problems }
  const placed: FileEntry[] = []
  const isPlaced = (entry: FileEntry) => done.has(entry) || placed.includes(entry)
  const left = new Set(entries.filter((entry) => !done.has(entry)))
  if (left.size === 0) return mistake("has no task that is left to do")
  while (left.size > 0) {
    const isNext = (entry: FileEntry) =>
      [...after.get(entry)!, lower.get(entry) ?? []].flat().every(isPlaced)
    const next = [...left].find(isNext)
    if (!next) {
      const titles = [...left].map(({ title }) => `"${title}"`)
      return mistake(`has tasks that wait for each other: ${titles.join(", ")}`)
    }
    left.delete(next)
    placed.push(next)
  }
  const tasks = placed.map((entry) => {
    const { id: _, after: __, on: ___, ...request } = entry
    const waits = after.get(entry)!.filter((other) => !done.has(other))
    const follows = waits.map((one) => placed.indexOf(one))
    const below = lower.get(entry)
    const stacked = below && !done.has(below) ? { stacksOn: placed.indexOf(below) } : {}
    return { ...request, prompt: entry.prompt ?? entry.title, follows, ...stacked }
  })
  return { kind: "ok", tasks }
}

/** The entries that this one lands after, as its `after` says. */
function ahead(entries: readonly FileEntry[], own: FileEntry, problems: Problem[]): FileEntry[] {
  const { after } = own
  const isOne = typeof after === "string" && called(entries, after).length > 0
  const names = isOne || typeof after !== "string" ? after : after.split(",")
  return [names].flat().flatMap((name) => find(entries, { own, key: "after", name }, problems))
}

const called = (entries: readonly FileEntry[], name: string) =>
  entries.filter(({ id, title }) => id === name || title === name)

/** The entry that a key of another one names. */
function find(
  entries: readonly FileEntry[],
  { own, key, name }: { readonly own: FileEntry; readonly key: string; readonly name: string },
  problems: Problem[],
): FileEntry[] {
  const short = name.trim()
  const found = short === "" ? [] : called(entries, short)
  if (short === "" || found.length === 1) return found
  const message = found.length === 0 ? "names no task of the plan" : "names several tasks"
  problems.push({ path: `"${own.title}": ${key}`, message: `\`${short}\` ${message}` })
  return []
}

const mistake = (message: string): ReadTasks => ({
  kind: "invalid",
  problems: [{ path: "", message }],
})
