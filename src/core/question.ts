/** What an agent asks of a person. Pure. */
import type { TaskId } from "./ids.ts"

/**
 * - `question`: what the work shall be.
 * - `permission`: whether it may use a tool now.
 * - `proposal`: whether another task shall be taken up. It is the only one that nobody waits for.
 */
export type QuestionKind = "question" | "permission" | "proposal"

export type Question = {
  readonly id: number
  readonly task: TaskId
  readonly turn: number
  readonly kind: QuestionKind
  readonly text: string
  /** Possible answers; none where any text is one. */
  readonly choices: readonly string[]
  /** What it is about: of a permission the tool and its input, of a proposal the task. */
  readonly subject: unknown
  readonly askedAtMs: number
  /** Null while it is open. */
  readonly answer: string | null
  readonly answeredAtMs: number | null
  /** When its conversation was given up, without an answer: nobody is left to hear one. */
  readonly closedAtMs: number | null
}

export const ALLOW = "allow"
export const DENY = "deny"
export const ACCEPT = "accept"
export const DECLINE = "decline"

/** Whether the agent waits for the answer, so that nothing lands before it. */
export function isAwaited({ kind }: Pick<Question, "kind">): boolean {
  return kind !== "proposal"
}

/** Whether the answer to a permission gives it. */
export const isAllowed = (answer: string): boolean => answer === ALLOW
