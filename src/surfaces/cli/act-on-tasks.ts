/**
 * Commands that act on tasks. They print the new state, or watch until only a person can move it on.
 *
 * Several tasks are acted on at once, as the person saw them, and watched one after another. If one
 * task is refused, the others are still acted on.
 */
import type { Client, TaskAction } from "../../api/client/client.ts"
import { type Watching, watchFrom } from "../../api/client/watch-task.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { AppError, exitCodeFor } from "../../base/errors.ts"
import type { Command, Shell } from "./command.ts"
import { taskState } from "./format/state.ts"
import { someTasks } from "./operands.ts"
import { exitCodeOf, watchToLast } from "./watch-to-end.ts"

type Acting = {
  readonly refs: readonly string[]
  act(client: Client, ref: string): Promise<TaskDocument>
  /** Watches each task and exits with its code. */
  readonly watches?: boolean
  /** With `--json`, prints a list even of one task. */
  readonly isList?: boolean
  /** One line about the new state. Default: the task's state. */
  describe?(task: TaskDocument): string
}

/** @returns the exit code: the highest of all tasks. */
export async function actOn(shell: Shell, acting: Acting): Promise<number> {
  const { output, json } = shell
  const { refs } = acting
  const client = await shell.connect()
  const acted: Acted[] = []
  let exitCode = 0
  for (const ref of refs) {
    try {
      acted.push(await actOnOne(shell, client, { ...acting, ref }))
    } catch (error) {
      if (refs.length === 1 || !(error instanceof AppError)) throw error
      output.note(`coppice: ${error.message}`)
      exitCode = Math.max(exitCode, exitCodeFor(error.blame))
    }
  }
  const done: TaskDocument[] = []
  let isWatching = acting.watches === true
  for (const one of acted) {
    const { task, isInterrupted } = isWatching
      ? await watchToLast(shell, client, { ...one, detach: false })
      : { task: one.task, isInterrupted: false }
    done.push(task)
    isWatching &&= !isInterrupted
    exitCode = Math.max(exitCode, endedBadly(task, isWatching) ? 1 : 0)
  }
  if (json) output.document(refs.length === 1 && !acting.isList ? done[0] : { tasks: done })
  return exitCode
}

type Acted = { readonly task: TaskDocument; readonly after?: Watching["after"] }

/** After Ctrl-C, exit 0: the action was taken. */
const endedBadly = (task: TaskDocument, isWatched: boolean): boolean =>
  task.deletion?.state === "failed" || (isWatched && exitCodeOf(task) > 0)

async function actOnOne(
  shell: Shell,
  client: Client,
  {
    ref,
    refs,
    act,
    watches,
    describe = (task) => taskState(shell.output, task),
  }: Acting & { readonly ref: string },
): Promise<Acted> {
  if (!watches) {
    const task = await act(client, ref)
    shell.output.line(describe(task))
    return { task }
  }
  const { id } = await client.show(ref)
  const after = await watchFrom(client, id)
  const task = await act(client, id)
  if (refs.length > 1) shell.output.line(describe(task))
  return { task, after }
}

/** A command for one action without settings, on any number of tasks. */
export function actionCommand(action: TaskAction, details: string): Command {
  return {
    operands: "<task…>",
    options: {},
    details,
    run: (shell, positionals) =>
      actOn(shell, {
        refs: someTasks(positionals, action),
        act: (client, ref) => client.act(ref, action),
      }),
  }
}
