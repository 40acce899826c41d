/** What a landing does in one state. Must be safe to run again after a crash. */
import { assert } from "../core/assert.ts"
import type { AgentConfig, RepoConfig } from "../core/config.ts"
import type { World } from "../core/world.ts"
import type { ProcessOwner } from "../process/owner.ts"
import type { Waits } from "../process/waits.ts"
import type { LandingChange } from "../store/landings/record.ts"
import type { Landing } from "../store/landings/row.ts"
import type { Db } from "../store/open.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import type { DisposableWorktrees } from "../workspaces/disposable.ts"
import type { WorktreePlace } from "../workspaces/facts.ts"
import type { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { Owner } from "../workspaces/task-refs.ts"
import type { WorkspaceStrategy } from "../workspaces/workspace.ts"
import type { Work } from "./submit-work.ts"

export type LandingContext = {
  readonly world: World
  readonly db: Db
  /** Names the home, for good: whose worktrees and refs are whose. */
  readonly home: string
  readonly owner: ProcessOwner
  readonly workspaces: WorkspaceStrategy
  readonly disposables: DisposableWorktrees
  /** Held while an action may touch the task's worktree. */
  readonly taskLock: TaskLock
  readonly waits: Waits
  /** Null: the defaults. @throws {ConfigGoneError} (user) when it is not configured; repoConfig likewise. */
  agentConfig(name: string | null): AgentConfig
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
  /** What setup, check and gate of this task see, in its own worktree or a disposable one. */
  environment(
    task: Task,
    repoName: string,
    disposable?: WorktreePlace,
  ): Readonly<Record<string, string>>
  /** Told of errors that are ours; the landing goes on with them as with any other failure. */
  onBug(error: unknown): void
}

export type LandingStep = {
  readonly context: LandingContext
  readonly landing: Landing
  readonly task: Task
  /** Aborts when the landing is cancelled or the daemon ends. */
  readonly signal: AbortSignal
}

/**
 * What to record. `handBack`: the prompt for the agent to which it is handed back. `takeBack`: the
 * work that takes back what of a failed landing is on its target. `records`: what else to write down, in
 * the same transaction.
 */
export type Outcome = LandingChange & {
  readonly handBack?: string
  readonly takeBack?: Work
  readonly records?: (() => void) | undefined
}

/** Whose the refs of this task are. */
export const ownerOf = ({ context, task }: LandingStep): Owner => ({
  home: context.home,
  task: task.id,
})

/** The task's side of one of the landing's repositories. */
export function taskRepo({ task }: LandingStep, { name }: { readonly name: string }): TaskRepo {
  const found = task.repos.find((repo) => repo.name === name)
  assert(found, "a landing's repositories are its task's")
  return found
}

/** `later`: nothing to record yet; look again when something was committed to the store. */
export type Action = (step: LandingStep) => Promise<Outcome | "later">
