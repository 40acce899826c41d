/** Watches a task until only a person can move it on, and reports how it ended. */
import type { Client } from "../../api/client/client.ts"
import { type Watching, watchTask } from "../../api/client/watch-task.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { isSettled, type TaskState } from "../../kernel/tasks/rules.ts"
import type { Option, Shell } from "./command.ts"
import { taskCard } from "./format/card.ts"
import { formatEvent, formatLogLine, PULL_OPENED } from "./format/progress.ts"
import { questionLines } from "./format/questions.ts"
import { nextStep } from "./next-step.ts"

/** The option of every command that watches its task to the end. */
export const DETACH = {
  type: "boolean",
  short: "d",
  about: "Do not watch",
} as const satisfies Option

type ToWatch = {
  readonly task: TaskDocument
  readonly detach: boolean
  /** Default: everything so far is shown too. */
  readonly after?: Watching["after"]
}

/** @returns the exit code; 0 with `--detach`. */
export async function watchToEnd(shell: Shell, client: Client, watched: ToWatch): Promise<number> {
  const { task } = await watchToLast(shell, client, watched)
  if (shell.json) shell.output.document(task)
  return watched.detach ? 0 : exitCodeOf(task)
}

/** A task that waits because its mode says so has not failed. */
const DONE_STATES = ["complete", "planning_complete", "in_approval", "pr_ready"]

export const exitCodeOf = ({ state }: TaskDocument): number => (DONE_STATES.includes(state) ? 0 : 1)

type Watched = {
  /** As it is then. */
  readonly task: TaskDocument
  /** The user stopped watching. */
  readonly isInterrupted: boolean
}

export async function watchToLast(
  shell: Shell,
  client: Client,
  { task, detach, after }: ToWatch,
): Promise<Watched> {
  const { output, json } = shell
  const isStuck = task.state === "merging" && task.attention
  const isOver = after !== undefined && (isStuck || isSettled(task.state as TaskState))
  if (!detach && !isOver && after !== undefined) await showAsked(shell, client, task.id)
  const watched = !detach && (isOver || (await watch(shell, client, { id: task.id, after })))
  const last = detach || isOver ? task : await client.show(task.id)
  if (!watched) output.note(wayBack(task))
  else if (!json) {
    output.lines(["", ...taskCard(output, last, shell.nowMs)])
    output.lines(await nextStep(client, last))
  }
  return { task: last, isInterrupted: !detach && !watched }
}

/** No event to come tells the open questions of the task and of its sub-tasks. */
async function showAsked({ output }: Shell, client: Client, id: string): Promise<void> {
  const asked = await client.questions(id)
  if (asked.questions.length + asked.ofSubTasks.length > 0) output.lines(questionLines(asked))
}

type WatchedTask = Pick<Watching, "after"> & { readonly id: string }

/** @returns false when the user stopped watching. */
async function watch(shell: Shell, client: Client, { id, after }: WatchedTask): Promise<boolean> {
  const { output } = shell
  const interrupted = new AbortController()
  const restore = shell.onInterrupt(() => interrupted.abort())
  const { signal } = interrupted
  try {
    const onWriting = output.drafting
    for await (const seen of watchTask(client, id, { signal, after, onWriting })) {
      const isEvent = seen.kind === "event"
      output.lines(isEvent ? formatEvent(output, seen.event) : formatLogLine(output, seen.line))
      if (isEvent && seen.event.type === BLOCKED) output.lines(await wayOut(client, id))
      if (isEvent && seen.event.type === PULL_OPENED) output.lines(await addresses(client, id))
    }
  } finally {
    output.drafting?.("")
    restore()
  }
  return !signal.aborted
}

/** The event of a landing that has to wait. */
const BLOCKED = "landing.blocked"

/** How the wait of a task ends; nothing if it has ended already. */
async function wayOut(client: Client, id: string): Promise<string[]> {
  const { waitingFor, unblock } = await client.why(id)
  return waitingFor === null || unblock === null ? [] : [`         unblock: ${oneLine(unblock)}`]
}

async function addresses(client: Client, id: string): Promise<string[]> {
  const { pullRequests } = await client.show(id)
  return pullRequests.map(({ url }) => `         ${oneLine(url)}`)
}

function wayBack({ id }: TaskDocument): string {
  return `Task ${id} continues. Watch it with \`coppice watch ${id}\`; stop it with \`coppice cancel ${id}\`.`
}
