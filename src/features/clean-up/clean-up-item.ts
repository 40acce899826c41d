/** One item of a clean-up list, and the contexts that judge and remove it. */

import type { TaskId } from "../../base/ids.ts"
import type { WorkedBy } from "../../config/agent-of-task.ts"
import type { AgentConfig, Config } from "../../config/config.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listProcesses } from "../../kernel/store/processes.ts"
import type { DisposableWorktrees } from "../../kernel/workspaces/disposable.ts"
import type { TaskLock } from "../../kernel/workspaces/locks/task-lock.ts"
import type { TeardownContext } from "../../kernel/workspaces/setup/run-teardown.ts"
import type { WorkspaceStrategy } from "../../kernel/workspaces/workspace.ts"

export type ItemOutcome = {
  readonly outcome: "removed" | "kept"
  /** Why it was kept after all, or another remark for a person. */
  readonly note: string | null
  /** Refs under which work was saved. */
  readonly rescued: readonly string[]
}

export type CleanUpItem = {
  readonly kind:
    | "worktree"
    | "disposable" // left by a landing in a crash
    | "folder" // of a worktree that git does not know
    | "trash" // a removed worktree whose files are still there
    | "record" // for a finished task's worktree that is gone
    | "branch" // of a task that is over, with commits made since its work was saved
    | "rescue"
    | "keep_ref" // of a landing that is over
  readonly name: string
  /** The task that it belongs to; null if unknown. */
  readonly task: TaskId | null
  readonly action: "remove" | "keep"
  /** One sentence, without its full stop. */
  readonly why: string
  /** The item stays, and only a person can decide about it. */
  readonly isLeft: boolean
  /** Removes it; undefined if it stays. */
  act?(signal: AbortSignal): Promise<ItemOutcome>
}

/** Whether a process of the task is on record, as the shell of a terminal is. */
export const hasProcess = (db: Db, id: TaskId): boolean =>
  listProcesses(db).some(({ task }) => task === id)

export const removed = (
  rescued: readonly string[] = [],
  note: string | null = null,
): ItemOutcome => ({
  outcome: "removed",
  note,
  rescued,
})
export const kept = (note: string, rescued: readonly string[] = []): ItemOutcome => ({
  outcome: "kept",
  note,
  rescued,
})

/** The context that judges worktrees: the store, and the settings of the home. */
export type Judging = Pick<TeardownContext, "db" | "world"> & {
  /** Real path of the folder that the fleet belongs to. */
  readonly home: string
  /** A person uninstalls Coppice: no task continues, and no pool needs its worktrees. */
  readonly isLeaving?: boolean
  config(): Config
  findAgent(task: WorkedBy): AgentConfig | undefined
}

/** The context that also removes them. */
export type Removing = Judging &
  TeardownContext & {
    readonly workspaces: WorkspaceStrategy
    readonly disposables: DisposableWorktrees
    readonly taskLock: TaskLock
  }

export type MaintenanceContext = Removing & {
  /** The home's permanent name: identifies its worktrees and refs. */
  readonly name: string
  /** Main worktrees, or bare directories, of the home's repositories. */
  listRepositories(): Promise<readonly string[]>
}
