/** Requests of an agent to a person. Pure. */
import type { TaskId } from "../../../base/ids.ts"

/**
 * - `question`: about the work.
 * - `permission`: to use a tool now.
 * - `proposal`: of another task. The agent does not wait for the answer.
 */
export type QuestionKind = "question" | "permission" | "proposal"

export type Question = {
  readonly id: number
  readonly task: TaskId
  readonly turn: number
  readonly kind: QuestionKind
  readonly text: string
  /** Possible answers; empty if any text is accepted. */
  readonly choices: readonly string[]
  /** The tool and its input for a permission; the task for a proposal. */
  readonly subject: unknown
  readonly askedAtMs: number
  /** Null while it is open. */
  readonly answer: string | null
  readonly answeredAtMs: number | null
  /** When it was closed without an answer, because its conversation was given up. */
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

/** Whether the answer grants the permission. */
export const isAllowed = (answer: string): boolean => answer === ALLOW
