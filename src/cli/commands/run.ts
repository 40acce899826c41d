/** `run "<prompt>"`: gives an agent a task, says what was taken for granted, and watches it. */
import type { Client } from "../../client/client.ts"
import { watchTask } from "../../client/watch-task.ts"
import type { NewTask, TaskDocument } from "../../core/wire.ts"
import type { Command, Shell, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { taskCard } from "../format/card.ts"
import { tellEvent, tellLine } from "../format/progress.ts"
import { takenLines } from "../format/taken.ts"
import { textValue } from "../operands.ts"

const MODES = ["merge", "approve", "none"] as const
/** Of later versions: the daemon refuses them, and says what to take instead. */
const LATER_MODES = ["pr"] as const
/** Where a task's own mode lets it wait, nothing has failed. */
const DONE_STATES = ["complete", "in_approval", "pr_ready"]

export const command: Command = {
  operands: "<prompt>",
  options: {
    agent: { type: "string", value: "<agent>", about: "Take this agent of coppice.yml" },
    title: { type: "string", value: "<title>", about: "Call the task this" },
    "work-item": { type: "string", value: "<id>", about: "Its id in a tracker" },
    repo: { type: "string", value: "<repo>", multiple: true, about: "Work in this repository" },
    land: { type: "string", value: "<mode>", about: "How to land: merge, approve or none" },
    detach: { type: "boolean", short: "d", about: "Do not watch" },
  },
  details: "`-` reads the prompt from stdin. Ctrl-C ends the watching, not the task.",

  async run(shell, positionals, values) {
    const { output, json } = shell
    const request = newTask(await promptFrom(shell, positionals), values)
    const client = await shell.connect()
    const { task, taken } = await client.create(request)
    output.lines(takenLines(output, task, taken))

    const detach = values["detach"] === true
    const watched = !detach && (await watch(shell, client, task.id))
    const last = detach ? task : await client.show(task.id)
    if (!watched) output.note(wayBack(task))
    else if (!json) output.lines(["", ...taskCard(output, last, shell.nowMs)])
    if (json) output.document(last)
    return detach || DONE_STATES.includes(last.state) ? 0 : 1
  },
}

async function promptFrom(shell: Shell, positionals: readonly string[]): Promise<string> {
  const [given, ...rest] = positionals
  if (rest.length > 0) throw new UsageError("`run` takes one prompt.", ["Put it in quotes."])
  const prompt = given === "-" ? await shell.readStdin() : given
  if (prompt?.trim()) return prompt
  throw new UsageError("`run` needs a prompt.", ['coppice run "Fix the failing test"'])
}

function newTask(prompt: string, values: Values): NewTask {
  const agent = textValue(values, "agent")
  const title = textValue(values, "title")
  const workItem = textValue(values, "work-item")
  const land = modeFrom(textValue(values, "land"))
  const repos = values["repo"] as string[] | undefined
  return {
    prompt,
    ...(agent !== undefined && { agent }),
    ...(title !== undefined && { title }),
    ...(workItem !== undefined && { workItem }),
    ...(repos !== undefined && { repos }),
    ...(land !== undefined && { land }),
  }
}

function modeFrom(given: string | undefined): NewTask["land"] {
  const mode = [...MODES, ...LATER_MODES].find((candidate) => candidate === given)
  if (given !== undefined && mode === undefined)
    throw new UsageError(`--land takes ${MODES.join(", ")}, not ${given}.`)
  return mode
}

/** @returns false when a person ended the watching. */
async function watch(shell: Shell, client: Client, id: string): Promise<boolean> {
  const { output } = shell
  const interrupted = new AbortController()
  const restore = shell.onInterrupt(() => interrupted.abort())
  try {
    for await (const seen of watchTask(client, id, interrupted.signal)) {
      const isEvent = seen.kind === "event"
      output.lines(isEvent ? tellEvent(output, seen.event) : tellLine(output, seen.line))
    }
  } finally {
    restore()
  }
  return !interrupted.signal.aborted
}

function wayBack({ id }: TaskDocument): string {
  return `Task ${id} goes on. \`coppice logs ${id} -f\` watches it, \`coppice cancel ${id}\` gives it up.`
}
