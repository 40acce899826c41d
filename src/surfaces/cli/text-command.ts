/** Commands that give a task some text from a person, and watch it. */

import type { Client } from "../../api/client/client.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { actOn } from "./act-on-tasks.ts"
import type { Command, Option, Shell, Values } from "./command.ts"
import { UsageError } from "./errors.ts"
import { oneTask } from "./operands.ts"
import { DETACH } from "./watch-to-end.ts"

/** The options, and the files that they may name. */
type Given = Pick<Shell, "cwd" | "readStdinBytes"> & {
  readonly values: Values
  /** The text was read from there. */
  readonly isStdinTaken: boolean
}

type TextCommand = {
  readonly name: string
  /** The name of the text in messages: `feedback`. */
  readonly called: string
  readonly details: string
  /** Default: the text is optional. */
  readonly needed?: boolean
  readonly options?: Readonly<Record<string, Option>>
  act(client: Client, ref: string, text: string | undefined, given: Given): Promise<TaskDocument>
}

export function textCommand({ name, called, details, act, ...more }: TextCommand): Command {
  const { needed = false, options = {} } = more
  return {
    operands: needed ? `<task> <${called}>` : `<task> [${called}]`,
    options: { ...options, detach: DETACH },
    details: `${details}\`-\` reads the ${called} from stdin.`,

    async run(shell, [ref, given, ...rest], values) {
      if (rest.length > 0)
        throw new UsageError(`\`${name}\` takes a task and one ${called}.`, ["Put it in quotes."])
      const task = oneTask(ref === undefined ? [] : [ref], name)
      const text = await readText(shell, given)
      if (needed && text === undefined)
        throw new UsageError(`\`${name}\` needs a ${called}.`, [`coppice ${name} ${task} "…"`])
      const { cwd, readStdinBytes } = shell
      const isStdinTaken = given === "-"
      return actOn(shell, {
        refs: [task],
        act: (client, ref) => act(client, ref, text, { values, cwd, readStdinBytes, isStdinTaken }),
        watches: values["detach"] !== true,
      })
    },
  }
}

/** @returns undefined if there is no text. */
async function readText(
  { readStdin }: Shell,
  given: string | undefined,
): Promise<string | undefined> {
  const text = given === "-" ? await readStdin() : given
  return text?.trim() ? text : undefined
}
