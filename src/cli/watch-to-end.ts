/** Watches a task that a command has started, and reports how it ended. */
import type { Client } from "../client/client.ts"
import { watchTask } from "../client/watch-task.ts"
import type { TaskDocument } from "../core/wire.ts"
import type { Option, Shell } from "./command.ts"
import { taskCard } from "./format/card.ts"
import { formatEvent, formatLogLine } from "./format/progress.ts"
import { nextStep } from "./next-step.ts"

/** The option of every command that watches its task to the end. */
export const DETACH = {
  type: "boolean",
  short: "d",
  about: "Do not watch",
} as const satisfies Option

/** A task that waits because its mode says so has not failed. */
const DONE_STATES = ["complete", "planning_complete", "in_approval", "pr_ready"]

/** @returns the exit code; 0 with `--detach`. */
export async function watchToEnd(
  shell: Shell,
  client: Client,
  { task, detach }: { readonly task: TaskDocument; readonly detach: boolean },
): Promise<number> {
  const { output, json } = shell
  const watched = !detach && (await watch(shell, client, task.id))
  const last = detach ? task : await client.show(task.id)
  if (!watched) output.note(wayBack(task))
  else if (!json) {
    output.lines(["", ...taskCard(output, last, shell.nowMs)])
    output.lines(await nextStep(client, last))
  }
  if (json) output.document(last)
  return detach || DONE_STATES.includes(last.state) ? 0 : 1
}

/** @returns false when the user stopped watching. */
async function watch(shell: Shell, client: Client, id: string): Promise<boolean> {
  const { output } = shell
  const interrupted = new AbortController()
  const restore = shell.onInterrupt(() => interrupted.abort())
  try {
    for await (const seen of watchTask(client, id, interrupted.signal)) {
      const isEvent = seen.kind === "event"
      output.lines(isEvent ? formatEvent(output, seen.event) : formatLogLine(output, seen.line))
    }
  } finally {
    restore()
  }
  return !interrupted.signal.aborted
}

function wayBack({ id }: TaskDocument): string {
  return `Task ${id} continues. Watch it with \`coppice logs ${id} -f\`; stop it with \`coppice cancel ${id}\`.`
}
