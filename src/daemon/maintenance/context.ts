/** The context of clean-ups. */
import type { AgentConfig, Config } from "../../core/config.ts"
import type { DisposableWorktrees } from "../../workspaces/disposable.ts"
import type { TaskLock } from "../../workspaces/locks/task-lock.ts"
import type { TeardownContext } from "../../workspaces/setup/run-teardown.ts"
import type { WorkspaceStrategy } from "../../workspaces/workspace.ts"

export type MaintenanceContext = TeardownContext & {
  /** Real path of the folder that the fleet belongs to. */
  readonly home: string
  /** The home's state directory; it identifies the home's worktrees and refs. */
  readonly stateDir: string
  readonly workspaces: WorkspaceStrategy
  readonly disposables: DisposableWorktrees
  readonly taskLock: TaskLock
  config(): Config
  findAgent(name: string): AgentConfig | undefined
  /** Main worktrees, or bare directories, of the home's repositories. */
  listRepositories(): Promise<readonly string[]>
}
