/**
 * A workspace is the place a job works in; a strategy says how it is set up and torn down.
 *
 * `setup` is called before a job and is safe to repeat: what is there already is reused, so that
 * a restart, a crash or a resumed conversation finds the same worktree and branch. `teardown`
 * removes a workspace whose work is safe, saving first whatever is not (law 4). What holds of every
 * strategy is contract.ts.
 */
import type { StrategyName } from "../core/config.ts"
import type { Oid, TaskId } from "../core/ids.ts"
import type { Owner } from "./task-refs.ts"

export interface WorkspaceStrategy {
  readonly name: StrategyName
  setup(request: WorkspaceRequest): Promise<Workspace>
  /** Called once what {@link setup} made is on record, and before anything runs in it. Safe to repeat. */
  handOver(workspace: HandedOver): Promise<void>
  teardown(workspace: WorkspaceToRemove): Promise<TornDown>
  /** All that set-ups of this home made for the task and that is still there, recorded or not. */
  findWorkspaces(repo: string, task: TaskId): Promise<readonly FoundWorkspace[]>
  /** Removes the branch of a set-up that got no further, if it is still where it was made. */
  removeLeftBranch(repo: string, made: MadeBranch): Promise<void>
}

/** A branch that we made, and the commit it was made at. */
export type MadeBranch = { readonly branch: string; readonly at: Oid }

export type WorkspaceRequest = {
  readonly task: TaskId
  readonly title: string
  readonly workItem: string | null
  readonly agent: string
  readonly job: number
  /** Name of the schedule that made the task, for `{scheduleName}`. */
  readonly schedule?: string | undefined
  /** Ms since the epoch, for `{date}`. */
  readonly nowMs: number
  /** Main worktree (or bare directory) of the repository. */
  readonly repo: string
  readonly repoName: string
  /** Branch name of the target. */
  readonly target: string
  /** Worktrees folder, absolute, or relative to the repository; may hold `<repo>`. */
  readonly worktreeDir: string
  readonly branchPattern: string
  readonly fetch: boolean
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** Whether it may be one that was made ahead. */
  readonly pooled: boolean
  /** Records a branch for the task, right before it is made: no other branch is ever used. */
  recordBranch(made: MadeBranch): void
  /** What was recorded of a branch by a set-up that was cut short before it recorded a worktree. */
  readonly begun: MadeBranch | undefined
  /** What an earlier set-up of this task recorded, if there was one and its branch is still ours. */
  readonly earlier:
    | { readonly branch: string; readonly worktree: string | null; readonly base: Oid }
    | undefined
  /** Ends waiting for others and for the network; `setup` then rejects with the signal's reason. */
  readonly signal: AbortSignal
}

export type Workspace = {
  readonly worktree: string
  /** Undefined where the strategy makes none. */
  readonly branch: string | undefined
  /** The commit that the branch started at; without one, the commit that is checked out. */
  readonly base: Oid
  /** Of a folder that is worked in as it is: the tree of its files; undefined: not known. */
  readonly asFound?: Oid | undefined
  /** False when an earlier worktree was reused as it was. */
  readonly fresh: boolean
  /** Paths that copy and link put there, relative to the worktree; never committed. */
  readonly placed: readonly string[]
  /** Those that this set-up put there; `copiedEntries` counts what is in them as well. */
  readonly copied: readonly string[]
  readonly linked: readonly string[]
  readonly copiedEntries: number
  /** Things that a person may want to know, one sentence each. */
  readonly notices: readonly string[]
}

/** One that has a branch of its own. */
export type BranchWorkspace = Workspace & { readonly branch: string }

/** `branch`: the one that was made for it, whatever is checked out there now; undefined: none. */
export type FoundWorkspace = { readonly worktree: string; readonly branch: string | undefined }

export type HandedOver = { readonly task: TaskId } & Pick<Workspace, "worktree" | "base">

export type WorkspaceToRemove = FoundWorkspace & {
  readonly task: Owner["task"]
  readonly repo: string
  /** Commits known to be safe elsewhere (target, published candidate): what they contain needs no rescue. */
  readonly contained: readonly Oid[]
  /** The branch is deleted only if it is still here (or contained). */
  readonly placed: readonly string[]
  readonly reason: string
  /** Called before a worktree goes that nothing speaks for keeping; see run-teardown.ts. */
  readonly before: (() => Promise<void>) | undefined
}

/** What was done: work is never removed unsaved, and leftovers are no failure. */
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
