/** Reads what a command was given: its words, and the values of its options. */
import type { Values } from "./command.ts"
import { UsageError } from "./errors.ts"

const TASKS_HINT =
  "`coppice ls` lists the tasks; id, branch, work item or beginning of a title will do."

/** The one task that a command is about. @throws UsageError */
export function oneTask(positionals: readonly string[], command: string): string {
  const [task, ...rest] = positionals
  if (!task || rest.length > 0) throw new UsageError(`\`${command}\` takes one task.`, [TASKS_HINT])
  return task
}

/** @throws UsageError where words were given to a command that takes none. */
export function noOperands(positionals: readonly string[], command: string): void {
  if (positionals.length > 0) throw new UsageError(`\`${command}\` takes no words.`)
}

/** The one text that a command is given. @throws UsageError */
export function oneText(positionals: readonly string[], command: string): string {
  const [text, ...rest] = positionals
  if (text?.trim() && rest.length === 0) return text
  throw new UsageError(`\`${command}\` takes one text.`, ["Put it in quotes."])
}

/** A text option that was given; else undefined. @throws UsageError where it is empty. */
export function textValue(values: Values, name: string): string | undefined {
  const value = values[name]
  if (typeof value !== "string") return undefined
  if (value.trim() === "") throw new UsageError(`--${name} must not be empty.`)
  return value
}

/** A whole number, 0 or more, that was given; else undefined. @throws UsageError */
export function countValue(values: Values, name: string): number | undefined {
  const value = textValue(values, name)
  if (value === undefined) return undefined
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(value)
}

/** A whole number, also one below 0, that was given; else undefined. @throws UsageError */
export function integerValue(values: Values, name: string): number | undefined {
  const value = textValue(values, name)
  if (value === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(value)
}
