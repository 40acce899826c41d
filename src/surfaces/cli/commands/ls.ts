/** `ls`: lists the tasks. Those that need a person come first. */
import type { Client } from "../../../api/client/client.ts"
import type { HomesDocument } from "../../../api/wire/home.ts"
import type { LinesQuery } from "../../../api/wire/query-parameters.ts"
import { asTree, grouped } from "../../../api/wire/task-groups.ts"
import type { TaskLinesDocument } from "../../../api/wire/tasks.ts"
import { PAGE_MAX } from "../../../base/input-bounds.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { reveal } from "../../../base/text/shown.ts"
import { CAUSES, workedBy } from "../../../kernel/tasks/rules/fallback.ts"
import type { ListLine } from "../board/task-list.ts"
import type { Command, Shell, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { width } from "../format/columns.ts"
import { deletionText, signedState, stateReason } from "../format/state.ts"
import { formatTable, GAP } from "../format/table.ts"
import { cut, dollars } from "../format/text.ts"
import { ageText } from "../format/time.ts"
import { countValue, noOperands, textValue } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "",
  options: {
    "all-homes": { type: "boolean", about: "List the tasks of every home; starts no daemon" },
    watch: {
      type: "boolean",
      short: "w",
      about: "Keep the list up to date; on a terminal, keys act on tasks (? for help)",
    },
    bell: {
      type: "boolean",
      about: "Watch, and ring the terminal's bell when a task newly needs you",
    },
    state: { type: "string", value: "<state>", about: "Only tasks in this state" },
    agent: { type: "string", value: "<agent>", about: "Only tasks of this agent" },
    number: {
      type: "string",
      short: "n",
      value: "<n>",
      about: "Show the last n tasks that are done (default 10)",
    },
    all: { type: "boolean", short: "a", about: "Show all tasks that are done" },
  },
  details:
    "Tasks that need you come first, then running, landing, waiting and finished ones. In each group the\n" +
    "newest task comes last. FOR is the time since a task last changed. `--json` prints all that\n" +
    "are done, whatever `-n` says.",

  async run(shell, positionals, values) {
    noOperands(positionals, "ls")
    const { output, json } = shell
    const wanted = wantedFrom(values)
    if (wanted.state !== undefined) await refuseUnknown(wanted.state)
    const isOfAll = values["all-homes"] === true
    if (values["watch"] === true || values["bell"] === true) {
      const look = isOfAll ? lookAtHomes(wanted) : lookAtTasks(await shell.connect(), wanted)
      const isOnScreen = !json && output.columns !== undefined
      if (isOnScreen) {
        const { showBoard } = await import("../board/board.ts")
        await showBoard(shell, { look, bell: values["bell"] === true })
      } else await (await import("../watch.ts")).watch(shell, () => look(shell, ""))
      return 0
    }
    if (isOfAll) {
      const document = await shell.listHomes()
      if (json) output.document(document)
      else output.lines(texts(homesListing(shell, document, wanted)))
      return 0
    }
    const client = await shell.connect()
    if (json) output.document(chosen(await client.list(), wanted))
    else {
      const document = await withSizes(client)(await client.listLines(queryFor(wanted)))
      output.lines(texts(listing(shell, document, wanted)))
    }
    return 0
  },
}

const texts = (lines: readonly ListLine[]): string[] => lines.map(({ text }) => text)
const plain = (text: string): ListLine => ({ text })

type Wanted = {
  readonly state: string | undefined
  readonly agent: string | undefined
  /** Only tasks with this in their line. */
  readonly filter: string
  /** How many of the tasks that are done to show. */
  readonly doneMax: number
}

/** Users rarely look for earlier ones. */
const DONE_MAX = 10

function wantedFrom(values: Values): Wanted {
  const count = countValue(values, "number") ?? DONE_MAX
  return {
    state: textValue(values, "state"),
    agent: textValue(values, "agent"),
    filter: "",
    doneMax: values["all"] === true ? Number.POSITIVE_INFINITY : count,
  }
}

/** Finished tasks that nothing shows are not read. */
function queryFor({ state, agent, filter, doneMax }: Wanted): LinesQuery {
  const isOfAll = state === undefined && agent === undefined && filter === ""
  return isOfAll && doneMax <= PAGE_MAX ? { finished: doneMax } : {}
}

/** @throws UsageError */
async function refuseUnknown(state: string): Promise<void> {
  const { STATE_ABOUT } = await import("../../../kernel/tasks/rules/state-about.ts")
  if (Object.hasOwn(STATE_ABOUT, state)) return
  const { closest } = await import("../../../base/text/suggest.ts")
  const meant = closest(state, Object.keys(STATE_ABOUT))
  const guess = meant === undefined ? "." : `; did you mean \`${meant}\`?`
  throw new UsageError(`There is no state \`${state}\`${guess}`, [
    "`coppice help states` lists them.",
  ])
}

/** A diff takes git some time, and a person approves only a few at once. */
const SIZED_MAX = 5

/** Shows the size of work to approve in place of its agent's last words. Reads each size once. */
function withSizes(client: Client): (list: TaskLinesDocument) => Promise<TaskLinesDocument> {
  const known = new Map<string, string>()
  const keyOf = ({ id, updatedAt }: Line) => `${id} ${updatedAt}`
  return async (document) => {
    const waiting = document.tasks.filter(({ state }) => state === "in_approval")
    const asked = waiting.filter((task) => !known.has(keyOf(task))).slice(-SIZED_MAX)
    if (asked.length > 0) {
      const { sizeOf } = await import("../latest-step.ts")
      const size = async (task: Line) => known.set(keyOf(task), await sizeOf(client, task.id))
      await Promise.allSettled(asked.map(size))
    }
    const tasks = document.tasks.map((task) => {
      const last = known.get(keyOf(task))
      return last ? { ...task, last } : task
    })
    return { ...document, tasks }
  }
}

type Placed = { readonly state: string; readonly agent: string | null }

function chosen<Document extends { readonly tasks: readonly Placed[] }>(
  document: Document,
  { state, agent }: Wanted,
): Document {
  const isWanted = (task: Placed) =>
    (state === undefined || task.state === state) && (agent === undefined || task.agent === agent)
  return { ...document, tasks: document.tasks.filter(isWanted) }
}

function homesListing(shell: Shell, { homes }: HomesDocument, wanted: Wanted): ListLine[] {
  const lines = homes.flatMap(({ home, running, problem, ...document }) => {
    const name = `${shell.output.paint("bold", oneLine(home))}${running ? "" : " (no daemon runs)"}`
    const list = problem === null ? listing(shell, document, wanted) : [plain(oneLine(problem))]
    return [plain(name), ...list, plain("")]
  })
  return lines.length > 0 ? lines.slice(0, -1) : [plain("No home has tasks yet.")]
}

type Look = (
  shell: Shell,
  filter: string,
) => Promise<{ lines: ListLine[]; document: unknown; isLive: boolean }>

/** Lines that take no actions, because tasks of different homes have the same ids. */
function lookAtHomes(wanted: Wanted): Look {
  return async (shell, filter) => {
    const document = await shell.listHomes()
    const lines = texts(homesListing(shell, document, { ...wanted, filter })).map(plain)
    return { lines, document, isLive: true }
  }
}

/** Shows the last list after the daemon has ended. We do not restart it: a person may have ended it. */
function lookAtTasks(client: Client, wanted: Wanted): Look {
  const sized = withSizes(client)
  let document: TaskLinesDocument | undefined
  return async (shell, filter) => {
    const { running } = await client.status()
    const query = queryFor({ ...wanted, filter })
    if (running || !document) document = await sized(await client.listLines(query))
    return { lines: listing(shell, document, { ...wanted, filter }), document, isLive: running }
  }
}

function listing(shell: Shell, document: TaskLinesDocument, wanted: Wanted): ListLine[] {
  const { tasks, unreadable = [] } = chosen(document, wanted)
  const notes = unreadable.map(({ task, error }) =>
    plain(`Coppice cannot read task ${task}, and leaves it as it is: ${oneLine(error)}.`),
  )
  const found = tasks.filter((task) => hasText(task, wanted.filter))
  const mistakes = document.config?.split("\n").map((line) => plain(reveal(line))) ?? []
  const lines = [...taskList(shell, found, { ...wanted, earlier: document.earlier }), ...notes]
  if (lines.length > 0) return [...lines, ...mistakes]
  const none =
    document.tasks.length > 0
      ? "No such tasks. `coppice ls` lists all."
      : 'No tasks. `coppice run "<prompt>"` starts one.'
  return [plain(none), ...mistakes]
}

function hasText(task: Line, text: string): boolean {
  const all = [task.id, task.title, task.workItem, task.agent, task.state, textOf(task)].join(" ")
  return all.toLowerCase().includes(text.toLowerCase())
}

type Line = TaskLinesDocument["tasks"][number]

const HEADING = ["ID", "STATE", "AGENT", "FOR", "COST", "ITEM", "TITLE", "WHAT"]
/** Longer titles are cut, so that the text after them stays readable. */
const TITLE_COLUMNS_MAX = 48
const TITLE_COLUMNS_MIN = 8
const TITLE_AT = HEADING.indexOf("TITLE")
const ITEM_AT = HEADING.indexOf("ITEM")
/** A narrow terminal drops these columns, in this order, until title and text have room. */
const DROPPED_FIRST = ["COST", "AGENT", "FOR", "ITEM"]
/** Some trackers have long names for their items. */
const ITEM_COLUMNS_MAX = 16
const TITLE_AND_TEXT_COLUMNS_MIN = 20
const TEXT_COLUMNS_MAX = 120

/** @returns nothing if there are no tasks. */
function taskList(
  { output, nowMs }: Shell,
  tasks: readonly Line[],
  { doneMax, earlier = 0 }: Wanted & Pick<TaskLinesDocument, "earlier">,
): ListLine[] {
  if (tasks.length + earlier === 0) return []
  const groups = grouped(tasks).map(({ group, tasks }) => {
    const [unread, left] =
      group === "done" ? [earlier, Math.max(0, tasks.length - doneMax)] : [0, 0]
    const shown = asTree(tasks.slice(left))
    const ofShown = shown.map(({ task }) => task)
    return { group, count: tasks.length + unread, shown, tasks: ofShown, hidden: left + unread }
  })
  const rows = groups.flatMap(({ shown }) =>
    shown.map(({ task, depth }) => row(output, task, { nowMs, depth })),
  )
  const fitting = fitInto(output.columns ?? Number.POSITIVE_INFINITY, [HEADING, ...rows])
  const [heading = [], ...cells] = fitting
  const painted = heading.map((name) => output.paint("dim", name))
  const [top = "", ...lines] = formatTable([painted, ...cells], output.columns)
  const sections = groups.flatMap(({ group, count, tasks, hidden }) => {
    const more = hidden > 0 ? `; ${hidden} earlier with \`--all\`` : ""
    const title = output.paint("bold", `${group} (${count}${more})`)
    const rows = lines.splice(0, tasks.length)
    return [plain(title), ...rows.map((text, at) => ({ text, task: tasks[at]! }))]
  })
  return [plain(top), ...sections]
}

/** Cuts the title before the text after it. @param rows the heading first. */
function fitInto(columns: number, rows: readonly string[][]): readonly string[][] {
  const widths = HEADING.map((_, at) =>
    rows.reduce((max, row) => Math.max(max, width(row[at]!)), 0),
  )
  const taken = (at: number) => (dropped.has(at) ? 0 : widths[at]! + GAP.length)
  const room = () =>
    HEADING.reduce((rest, _, at) => rest - (at < TITLE_AT ? taken(at) : 0), columns)
  const isEmpty = rows.slice(1).every((row) => row[ITEM_AT] === "")
  const dropped = new Set(isEmpty ? [ITEM_AT] : [])
  for (const name of DROPPED_FIRST)
    if (room() < TITLE_AND_TEXT_COLUMNS_MIN) dropped.add(HEADING.indexOf(name))
  const textWidth = Math.min(widths.at(-1)!, Math.floor(room() / 2))
  const titleMax = Math.max(TITLE_COLUMNS_MIN, room() - GAP.length - textWidth)
  const shortened = rows.map((row) => row.with(TITLE_AT, cut(row[TITLE_AT]!, titleMax)))
  return shortened.map((row) => row.filter((_, at) => !dropped.has(at)))
}

type Drawn = {
  readonly nowMs: number
  /** 0 for a task without a parent, or with one in another group. */
  readonly depth: number
}

function row(output: Output, task: Line, { nowMs, depth }: Drawn): string[] {
  const { costUsd } = task
  const branch = depth > 0 ? `${"  ".repeat(depth - 1)}└ ` : ""
  return [
    task.id,
    signedState(output, task.state),
    workedBy(task.agent, task.standIn),
    ageText(task.updatedAt, nowMs),
    costUsd === null ? "-" : dollars(costUsd),
    cut(oneLine(task.workItem ?? ""), ITEM_COLUMNS_MAX),
    cut(`${branch}${oneLine(task.title)}`, TITLE_COLUMNS_MAX),
    cut(textOf(task), TEXT_COLUMNS_MAX),
  ]
}

/** The column WHAT: why the task stopped, its question, why it waits, or the last thing that it did. */
function textOf(task: Line): string {
  return deletionText(task) || stateText(task)
}

function stateText(task: Line): string {
  const hasStopped = task.state === "stuck" || task.state === "merge_failed"
  if (task.question !== null && !(hasStopped && task.reason))
    return `asks: ${oneLine(task.question)}`
  const isYours = task.agent === null && task.state === "working"
  if (!task.reason && isYours) return `yours: \`coppice worktree land ${task.id}\` lands it`
  if (!task.reason && task.state === "registered") return "waits for a free place"
  const last = oneLine(task.last ?? "")
  const isOver = task.state === "complete" || task.state === "cancelled"
  if (!task.reason && task.standIn && !isOver)
    return `${task.agent} is ${CAUSES[task.standIn.cause]}${last && `; ${last}`}`
  return stateReason(task) || (task.kept ? "its work is kept, not landed" : last)
}
