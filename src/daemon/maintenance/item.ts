/**
 * One thing that may be cleaned up: what is planned is what is printed, and what is done.
 *
 * `act` looks at everything again before it changes anything, because a plan may be old.
 */
import type { TaskId } from "../../core/ids.ts"

export type Done = {
  readonly outcome: "removed" | "kept"
  /** Why it was kept after all, or what else a person should know. */
  readonly note: string | null
  /** Refs under which something was saved. */
  readonly rescued: readonly string[]
}

export type PlanItem = {
  readonly kind:
    | "worktree"
    | "disposable" // a landing's, left by a crash
    | "folder" // a worktree's, which git does not know (any more)
    | "trash" // a removed worktree whose files are still there
    | "record" // a finished task's worktree, which is gone
    | "rescue"
    | "keep_ref" // of a landing that is over
  /** Path or ref. */
  readonly name: string
  /** Of this task; null where none is known. */
  readonly task: TaskId | null
  readonly action: "remove" | "keep"
  /** One sentence, without its full stop. */
  readonly why: string
  /** A person should look at it: it stays, and nothing will come to fetch it. */
  readonly isLeft: boolean
  /** Where it is to be removed. */
  act?(signal: AbortSignal): Promise<Done>
}

export const removed = (rescued: readonly string[] = [], note: string | null = null): Done => ({
  outcome: "removed",
  note,
  rescued,
})
export const kept = (note: string, rescued: readonly string[] = []): Done => ({
  outcome: "kept",
  note,
  rescued,
})
