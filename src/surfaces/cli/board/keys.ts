/** The keys of the board, as a table. Each runs a command that a person could type. */
import { runPager } from "../../../api/client/run-in-terminal.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { type Action, possibleText } from "../../../kernel/tasks/rules/action.ts"
import { cut } from "../format/text.ts"
import type { Board } from "./board.ts"
import { Page } from "./page.ts"
import { Confirmation, Prompt } from "./prompt.ts"

type Key = {
  readonly names: readonly string[]
  /** As in the help: `enter`. */
  readonly shown: string
  /** One or two words for the bottom line. */
  readonly hint: string
  /** A sentence for the help. */
  readonly about: string
  press(board: Board, name: string): unknown
}

/** How many lines of a log a page shows: at the end of a task's page, and on the log's own page. */
const LOG_LINES = ["10", "500"] as const
const FAR = Number.MAX_SAFE_INTEGER

/** How far a key moves the selection or the page, by the height of the page. */
export const MOVES: Readonly<Record<string, (height: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  pageup: (height) => -height,
  pagedown: (height) => height,
  " ": (height) => height,
  home: () => -FAR,
  g: () => -FAR,
  end: () => FAR,
  G: () => FAR,
}

// biome-ignore format: a table reads best as one
export const KEYS: readonly Key[] = [
  { names: ["?"], shown: "?", hint: "help", about: "Shows this.", press: help },
  { names: ["q", "escape", "left", "backspace"], shown: "q", hint: "quit", about: "Goes back to the list; from there, quits. Escape only goes back.", press: (board, name) => board.back(name === "q") },
  { names: ["return", "enter", "right"], shown: "enter", hint: "open", about: "Opens the task: `show`, `why` and the end of `logs`. If its agent asks something: `answer`.", press: open },
  { names: ["a"], shown: "a", hint: "approve", about: "Shows the size and the commit of the work, asks once, and runs `approve --head`.", press: approve },
  { names: ["r"], shown: "r", hint: "reject", about: "Sends the work back with your feedback: `reject`.", press: (board) => sendMessage(board, ["reject"]) },
  { names: ["s"], shown: "s", hint: "say", about: "Sends its agent a message: `say`. A task that has stopped goes on with it: `resume`, `restart`.", press: (board) => sendMessage(board, ["say", "resume", "restart"]) },
  { names: ["l"], shown: "l", hint: "logs", about: "Follows what its agent does: `logs`.", press: logs },
  { names: ["d"], shown: "d", hint: "diff", about: "Shows its changes, in $PAGER or `less` if they are long: `diff`.", press: diff },
  { names: ["p"], shown: "p", hint: "pause", about: "Pauses the task, or resumes it: `pause`, `resume`.", press: pause },
  { names: ["/"], shown: "/", hint: "filter", about: "Shows only the tasks that contain a text; Escape shows all again.", press: filter },
]

/** As many keys as fit on a line. */
export function keyHints(columns: number): string {
  const hints = KEYS.map(({ shown, hint }) => `${shown} ${hint}`)
  while (hints.length > 2 && hints.join("  ").length > columns) hints.pop()
  return cut(hints.join("  "), columns)
}

function help(board: Board): void {
  const widest = Math.max(...KEYS.map(({ shown }) => shown.length))
  const lines = KEYS.map(({ shown, about }) => `  ${shown.padEnd(widest)}  ${about}`)
  const moving = "  Arrows or j and k, Page Up and Down, Home and End (g and G) move. Ctrl-C quits."
  board.open(new Page({ title: "Keys", lines: ["", ...lines, "", moving] }))
}

/** Runs a command on a task, and shows its last line. */
async function act(board: Board, command: readonly string[], ...operands: readonly string[]) {
  board.tell((await board.shell.runCommand(command, operands)).at(-1) ?? "")
}

async function show(board: Board, page: Page): Promise<void> {
  await page.refresh(board.shell)
  board.open(page)
}

async function open(board: Board): Promise<void> {
  const { id, question } = board.task
  if (!id) return
  if (question) return answer(board, id)
  const [few] = LOG_LINES
  const commands = [
    [["show"], id],
    [["why"], id],
    [["logs", "-n", few], id],
  ] as const
  await show(board, new Page({ title: `Task ${id}`, task: id, commands }))
}

/** An approval is worth what it shows. */
const UNSEEN = "Nothing was done: Page Down shows the rest of it first."

async function answer(board: Board, id: string): Promise<void> {
  const client = await board.shell.connect()
  const [asked] = (await client.questions(id)).questions
  if (!asked) return board.tell(`Task ${id} no longer has an open question.`)
  const commands = [[["answer"], id]] as const
  const page = new Page({ title: `Task ${id} asks`, task: id, commands })
  await show(board, page)
  const label = asked.choices.length > 0 ? "Answer (a number or a text)" : "Answer"
  // The command names the question, so the answer never goes to a later one.
  const command = ["answer", "-d", "--question", String(asked.id)]
  const onEntered = (text: string) => {
    if (asked.kind !== "question" && !page.isSeen) return board.tell(UNSEEN)
    return text.trim() ? act(board, command, id, text) : undefined
  }
  board.askAboutNew(new Prompt({ label, onEntered }))
}

type WithMessage = "reject" | "say" | "resume" | "restart"

// biome-ignore format: a table reads best as one
const LABELS: Readonly<Record<WithMessage, string>> = {
  reject: "Changes", say: "Message", resume: "Resume, with a message", restart: "Restart, with or without a message",
}

/** Asks for the message of the first command that is possible now. */
function sendMessage(board: Board, names: readonly [WithMessage, ...WithMessage[]]): void {
  const { task } = board
  const name = task.state === undefined ? names[0] : names.find((name) => can(task, name))
  if (task.id && name) board.ask(promptFor(board, name))
  else if (task.id) tellRefused(board, task, names[0])
}

function promptFor(board: Board, name: WithMessage): Prompt {
  const { id, state } = board.task
  const needsMessage = name !== "restart" && state !== "paused"
  const send = (text: string) => {
    const isEmpty = text.trim() === ""
    if (isEmpty && needsMessage) return board.tell("Nothing was sent.")
    return act(board, [name, "-d"], id, ...(isEmpty ? [] : [text]))
  }
  return new Prompt({ label: `${LABELS[name]} (task ${id})`, onEntered: send })
}

async function pause(board: Board): Promise<void> {
  const { task } = board
  if (!task.id) return
  if (task.state === "complete") return sendMessage(board, ["resume"])
  const name = task.state === "paused" ? "resume" : "pause"
  if (task.state !== undefined && !can(task, name)) return tellRefused(board, task, name)
  await act(board, name === "resume" ? ["resume", "-d"] : ["pause"], task.id)
}

const can = (task: Board["task"], action: Action): boolean => task.can?.includes(action) ?? false

function tellRefused(board: Board, { id, state, can = [] }: Board["task"], action: Action): void {
  board.tell(`Task ${id} is ${state}: \`${action}\` is not possible. ${possibleText(can)}`)
}

async function logs(board: Board): Promise<void> {
  const { id } = board.task
  const commands = [[["logs", "-n", LOG_LINES[1]], id]] as const
  if (id)
    await show(board, new Page({ title: `Task ${id}: log`, task: id, commands, follows: true }))
}

async function diff(board: Board): Promise<void> {
  const { id } = board.task
  if (!id) return
  const lines = await board.shell.runCommand(["diff"], [id])
  const { output, env } = board.shell
  const isLong = lines.length > output.rows
  const isShown = isLong && (await board.terminal.lend(() => runPager(lines, env)))
  if (!isShown) board.open(new Page({ title: `Task ${id}: changes`, task: id, lines }))
}

function filter(board: Board): void {
  const change = (text: string) => board.filter(text)
  board.ask(new Prompt({ label: "Only tasks that contain", onTyped: change, onEntered: change }))
}

/** Shows a plan, or the size of the work and its commit; exactly what is shown is approved. */
async function approve(board: Board): Promise<void> {
  const { id } = board.task
  if (!id) return
  const { shell } = board
  const client = await shell.connect()
  const { state, repos, landing, plan, can } = await client.show(id)
  if (!can.includes("approve")) return tellRefused(board, { id, state, can }, "approve")
  const isPlan = state === "planning_complete"
  const command = isPlan ? ["show"] : ["diff", "--stat"]
  const page = new Page({ title: `Task ${id}: to approve`, task: id, commands: [[command, id]] })
  await show(board, page)
  const baseOf = (name: string) => landing?.repos.find((repo) => repo.name === name)?.base
  // A repository without a base has nothing to approve.
  const seen = isPlan
    ? []
    : repos.flatMap(({ head, name }) => (head && baseOf(name) ? [{ head, name }] : []))
  const named = seen.map(({ head, name }) => {
    const base = baseOf(name)
    return `${head.slice(0, 12)}${base ? ` on ${base.slice(0, 12)}` : ""}${seen.length > 1 ? ` in ${oneLine(name)}` : ""}`
  })
  const question = isPlan ? "Approve this plan?" : `Approve ${named.join(" and ")}?`
  board.askAboutNew(
    new Confirmation(question, async () => {
      if (!page.isSeen) return board.tell(UNSEEN)
      board.open(undefined)
      if (isPlan) {
        const named = ["approve", "-d", "--plan", plan?.id ?? ""]
        return await board.attempt(() => act(board, named, id))
      }
      await board.attempt(async () => {
        for (const { head, name } of seen) // a refusal ends them, and is shown
          await act(board, ["approve", "-d", "--repo", name, "--head", head], id)
      })
    }),
  )
}
