/** Texts for an open question, and for the bounds that keep a task from a slot. Pure. */
import type { Question } from "../../tasks/rules/question.ts"

/** `isOnly`: it has no other open question. */
export type WhyQuestion = Pick<Question, "id" | "text" | "askedAtMs" | "choices"> & {
  readonly isOnly: boolean
}

/** The command that answers the question of a task. */
export function answerTo(id: number, question: WhyQuestion): string {
  const { choices } = question
  const which = question.isOnly ? "" : ` --question ${question.id}`
  const numbered = choices.map((choice, at) => `${at + 1} (${choice})`).join(" or ")
  return choices.length > 0
    ? `\`coppice answer ${id}${which} <choice>\`, with ${numbered}`
    : `\`coppice answer ${id}${which} "<answer>"\``
}

/** A bound on agents that work at the same time, which is reached. */
export type Bound = {
  /** Of coppice.yml. */
  readonly key: string
  readonly max: number
  /** The tasks that have the slots. */
  readonly tasks: readonly number[]
}

export function slotText(bounds: readonly Bound[]): readonly [waitingFor: string, unblock: string] {
  if (bounds.length === 0) return ["a free slot for its agent", "nothing: it begins automatically"]
  const reached = bounds.map(({ key, max }) => `${key} is ${max}`).join(", ")
  const keys = bounds.map(({ key }) => `\`${key}\``).join(" and ")
  const [{ tasks }] = bounds as [Bound, ...Bound[]]
  const ends =
    tasks.length === 1 ? `task ${tasks[0]} ends` : `one of the tasks ${listed(tasks)} ends`
  return [
    `a free slot for its agent (${reached})`,
    `${ends}, or ${keys} in coppice.yml ${bounds.length > 1 ? "are" : "is"} raised`,
  ]
}

/** A sentence has room for a few. */
const LISTED_MAX = 6

const listed = (tasks: readonly number[]): string =>
  `${tasks.slice(0, LISTED_MAX).join(", ")}${tasks.length > LISTED_MAX ? ", …" : ""}`
