/**
 * A workspace is the place a job works in; a strategy says how it is set up and torn down.
 *
 * `setup` runs before every job and is safe to repeat: it reuses what exists, so that a restart, a
 * crash or a resumed conversation finds the same worktree and branch. `teardown` removes a
 * workspace, and first saves work that is not safe (law 4). contract.ts holds the promises of every
 * strategy.
 */

import type { Oid, TaskId } from "../../base/ids.ts"
import type { StrategyName } from "../tasks/rules/strategies.ts"
import type { BranchFacts } from "./branch-name.ts"
import type { Owner } from "./task-refs.ts"

export interface WorkspaceStrategy {
  readonly name: StrategyName
  setup(request: WorkspaceRequest): Promise<Workspace>
  /** Takes the worktree out of the pool, once its task has recorded it. Safe to repeat. */
  leavePool(workspace: RecordedWorkspace): Promise<void>
  /** Forgets a worktree that stays: it belongs to the user from now on, not to Coppice or its pool. */
  disown(worktree: string): void
  teardown(workspace: WorkspaceToRemove): Promise<TornDown>
  /** All existing workspaces that this home set up for the task, recorded or not. */
  findWorkspaces(repo: string, task: TaskId): Promise<readonly FoundWorkspace[]>
  /** Removes the branch of a set-up that got no further. Later commits on it are saved. */
  removeLeftBranch(left: LeftBranch): Promise<Pick<TornDown, "rescued" | "notices">>
}

/** A branch that we made, and its first commit. */
export type MadeBranch = { readonly branch: string; readonly at: Oid }

export type WorkspaceRequest = BranchFacts & {
  readonly task: TaskId
  /** Main worktree (or bare directory) of the repository. */
  readonly repo: string
  readonly repoName: string
  /** Branch name of the target. */
  readonly target: string
  /** Worktrees folder, absolute, or relative to the repository; may hold `<repo>`. */
  readonly worktreeDir: string
  readonly branchPattern: string
  readonly fetch: boolean
  /** The commit to start from, if not the target's: the work of another task, or existing work. */
  readonly start?: Oid | undefined
  /** The commits of `start` are the task's work too: its base is where they left the target. */
  readonly goesOn?: boolean
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** The task's agent is contained, so an agent may have landed `.worktreeinclude`: it brings nothing. */
  readonly isContained: boolean
  /** Whether a worktree from the pool may be used. */
  readonly pooled: boolean
  /** Records a branch for the task, right before it is made: no other branch is ever used. */
  recordBranch(made: MadeBranch): void
  /** The branch that this or an earlier set-up recorded, if no worktree was recorded with it. */
  findBegun(): MadeBranch | undefined
  /** The record of an earlier set-up of this task, if its branch is still ours. */
  readonly earlier:
    | { readonly branch: string; readonly worktree: string | null; readonly base: Oid }
    | undefined
  /** Ends waits for others and for the network; `setup` then rejects with the signal's reason. */
  readonly signal: AbortSignal
}

export type Workspace = {
  readonly worktree: string
  /** Undefined if the strategy makes none. */
  readonly branch: string | undefined
  /** The commit before the task's work; without a branch, the commit that is checked out. */
  readonly base: Oid
  /** For a static folder, the tree of its files; undefined: unknown. */
  readonly asFound?: Oid | undefined
  /** False when an earlier worktree was reused as it was. */
  readonly fresh: boolean
  /** Paths that copy and link put there, relative to the worktree; never committed. */
  readonly placed: readonly string[]
  /** Paths that this set-up copied; `copiedEntries` also counts their contents. */
  readonly copied: readonly string[]
  readonly linked: readonly string[]
  readonly copiedEntries: number
  /** Remarks for a person, one sentence each. */
  readonly notices: readonly string[]
}

/** A workspace with a branch of its own. */
export type BranchWorkspace = Workspace & { readonly branch: string }

/** `branch` was made for the worktree, which may be on another one now; undefined: none was. */
export type FoundWorkspace = { readonly worktree: string; readonly branch: string | undefined }

/** A workspace that its task has recorded. */
export type RecordedWorkspace = { readonly task: TaskId } & Pick<Workspace, "worktree" | "base">

export type WorkspaceToRemove = FoundWorkspace & {
  readonly task: Owner["task"]
  readonly repo: string
  /**
   * Commits known to be safe elsewhere (target, published candidate): what they contain needs no
   * rescue.
   */
  readonly safeCommits: readonly Oid[]
  /** Paths that copy and link put there: never rescued. */
  readonly placed: readonly string[]
  readonly reason: string
  /** Called before a worktree is removed, once nothing prevents it; see run-teardown.ts. */
  readonly before: (() => Promise<void>) | undefined
}

export type LeftBranch = Pick<WorkspaceToRemove, "task" | "repo" | "safeCommits" | "reason"> & {
  readonly made: MadeBranch
}

/** Work is never removed unsaved, and leftovers are not a failure. */
export type TornDown = {
  /** Rescue refs that were made, and what each holds. */
  readonly rescued: readonly {
    readonly ref: string
    readonly commit: Oid
    readonly paths: readonly string[]
  }[]
  /** `removed` also when it was gone already. */
  readonly worktree: "removed" | "kept"
  readonly branch: "deleted" | "kept"
  /** Why something was kept, one sentence each. */
  readonly notices: readonly string[]
}
