/** Reads the operands and option values of a command. */
import type { Values } from "./command.ts"
import { UsageError } from "./errors.ts"

const TASKS_HINT =
  "`coppice ls` lists the tasks. Give an id, a branch, a work item or the beginning of a title."

/** The one task that a command is about. @throws UsageError */
export function oneTask(positionals: readonly string[], command: string): string {
  const [task, ...rest] = positionals
  if (!task || rest.length > 0) throw new UsageError(`\`${command}\` takes one task.`, [TASKS_HINT])
  return task
}

/** The tasks that a command is about, at least one. @throws UsageError */
export function someTasks(positionals: readonly string[], command: string): readonly string[] {
  if (positionals.length > 0 && positionals.every(Boolean)) return [...new Set(positionals)]
  throw new UsageError(`\`${command}\` needs a task.`, [TASKS_HINT])
}

/** @throws UsageError if a command without operands was given some. */
export function noOperands(positionals: readonly string[], command: string): void {
  if (positionals.length > 0) throw new UsageError(`\`${command}\` takes no arguments.`)
}

/** The one text operand of a command. @throws UsageError */
export function oneText(positionals: readonly string[], command: string): string {
  const [text, ...rest] = positionals
  if (text?.trim() && rest.length === 0) return text
  throw new UsageError(`\`${command}\` takes one text.`, ["Put it in quotes."])
}

/** The value of a text option, or undefined. @throws UsageError if it is empty. */
export function textValue(values: Values, name: string): string | undefined {
  const value = values[name]
  if (typeof value !== "string") return undefined
  if (value.trim() === "") throw new UsageError(`--${name} must not be empty.`)
  return value
}

/** The value of a whole-number option from 0 up, or undefined. @throws UsageError */
export function countValue(values: Values, name: string): number | undefined {
  const value = textValue(values, name)
  if (value === undefined) return undefined
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(value)
}
