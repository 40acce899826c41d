/** A worktree that this home has made, or is about to make. */
import type { TaskId } from "../../core/ids.ts"

export type OwnWorktree = {
  /** Absolute. */
  readonly path: string
  /** The repository's main worktree, or bare directory. */
  readonly repo: string
  /** `gate`: a landing's, which never holds work. */
  readonly purpose: "task" | "gate"
  /** The task that it was made for; null for a pool. The task may be deleted by now. */
  readonly task: TaskId | null
  /** The branch that was made for it. */
  readonly branch: string | null
}
