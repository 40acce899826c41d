/** The interface of a landing's actions, one per state. Each is safe to run again after a crash. */
import { assert } from "../../base/assert.ts"
import type { World } from "../../base/world.ts"
import type { WorkedBy } from "../../config/agent-of-task.ts"
import type { AgentConfig, RepoConfig } from "../../config/config.ts"
import type { Forge } from "../../features/pull-requests/forges/forge.ts"
import type { HeldIndexes } from "../git/change/held-indexes.ts"
import type { ProcessOwner } from "../process/owner.ts"
import type { Db } from "../store/open.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import type { Waits } from "../waits/waits.ts"
import type { DisposableWorktrees } from "../workspaces/disposable.ts"
import type { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { Owner } from "../workspaces/task-refs.ts"
import type { WorkspaceStrategy } from "../workspaces/workspace.ts"
import type { WorktreePlace } from "../workspaces/workspace-facts.ts"
import type { LandingChange } from "./rows/record.ts"
import type { Landing } from "./rows/row.ts"
import type { WorkToSubmit } from "./submit-work.ts"

/** The rows of the store, and the clock. */
export type Rows = { readonly db: Db; readonly world: World }

/** The settings of a task's agent and of its repositories. */
export type Configured = {
  /**
   * Null gives the defaults. @throws {ConfigGoneError} (user) if the agent is not configured;
   * repoConfig likewise.
   */
  agentConfig(task: WorkedBy): AgentConfig
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
}

/** Names the owner of the task's refs. */
export type Refs = {
  /** The home's permanent name, which marks its worktrees and refs. */
  readonly home: string
}

/** Worktrees and branches of tasks. */
export type Workspaces = { readonly workspaces: WorkspaceStrategy }

/** Worktrees of a landing alone. */
export type Disposables = { readonly disposables: DisposableWorktrees }

/** Held while an action may touch the task's worktree. */
export type Locks = { readonly taskLock: TaskLock }

/** The programs of the task: its set-up and its gate. */
export type Programs = {
  readonly owner: ProcessOwner
  readonly waits: Waits
  /**
   * The environment of this task's setup, check and gate, in its own worktree or a disposable one.
   */
  environment(
    task: Task,
    repoName: string,
    disposable?: WorktreePlace,
  ): Readonly<Record<string, string>>
}

/** The forges that take pull requests. */
export type Forges = {
  /** @param address of its remote. @throws {ForgeError} `forge.refused` if none is known there. */
  forgeOf(repo: { readonly name: string; readonly path: string }, address: string): Forge
}

/** Everything that landings work with. An action names the parts that it uses. */
export type LandingContext = Rows &
  Refs &
  Configured &
  Workspaces &
  Disposables &
  Locks &
  Programs &
  Forges & {
    /** Receives bugs of ours. The landing treats them like any other failure. */
    onBug(error: unknown): void
  }

/** A landing under way. `Uses` says which parts of the context a function touches; none without it. */
export type Step<Uses = unknown> = {
  readonly context: Uses
  readonly landing: Landing
  readonly task: Task
  /** Aborts when the landing is cancelled or the daemon ends. */
  readonly signal: AbortSignal
  /** Checkouts of its targets that are held until it has landed: see move/hold-checkouts.ts. */
  readonly held?: HeldIndexes | undefined
}

/**
 * The change to record. `handBack` is the prompt for the agent. `takeBack` is the work that reverts
 * the published part of a failed landing. `records` writes further rows in the same transaction.
 */
export type Outcome = LandingChange & {
  readonly handBack?: string
  readonly takeBack?: WorkToSubmit
  readonly records?: (() => void) | undefined
}

/** The owner of this task's refs. */
export const ownerOf = ({ context, task }: Step<Refs>): Owner => ({
  home: context.home,
  task: task.id,
})

/** The task's side of one of the landing's repositories. */
export function taskRepo({ task }: Step, { name }: { readonly name: string }): TaskRepo {
  const found = task.repos.find((repo) => repo.name === name)
  assert(found, "a landing's repositories are its task's")
  return found
}

/** `later`: nothing to record yet. Run it again after the next commit to the store. */
export type Action<Uses = LandingContext> = (step: Step<Uses>) => Promise<Outcome | "later">
