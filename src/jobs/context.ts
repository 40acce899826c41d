/** What the jobs loop works with. */
import type { AgentConfig, Config, RepoConfig } from "../core/config.ts"
import type { SessionId, TaskId } from "../core/ids.ts"
import type { Stopped } from "../core/prompts/restart.ts"
import type { World } from "../core/world.ts"
import type { ProcessOwner } from "../process/owner.ts"
import type { Waits } from "../process/waits.ts"
import type { Runtime } from "../runtimes/runtime.ts"
import type { Db } from "../store/open.ts"
import type { Task } from "../store/tasks/row.ts"
import type { DisposableWorktrees } from "../workspaces/disposable.ts"
import type { WorktreePlace } from "../workspaces/facts.ts"
import type { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { WorkspaceStrategy } from "../workspaces/workspace.ts"

export type JobsContext = {
  readonly world: World
  readonly db: Db
  /** Names the home, for good: whose worktrees and refs are whose. */
  readonly home: string
  readonly owner: ProcessOwner
  readonly workspaces: WorkspaceStrategy
  /** Where agents work in a folder as it is. */
  readonly folders: WorkspaceStrategy
  readonly disposables: DisposableWorktrees
  readonly taskLock: TaskLock
  readonly waits: Waits
  /** How many agents run at the same time, in all. */
  limits(): Config["limits"]
  findAgent(name: string): AgentConfig | undefined
  /** Null: the defaults. @throws {ConfigGoneError} (user) when it is not configured; repoConfig likewise. */
  agentConfig(name: string | null): AgentConfig
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
  runtime(agent: AgentConfig): Runtime
  /** Names the login that the agent uses at its model API; null: none that has limits of its own. */
  account(agent: AgentConfig): string | null
  /** What setup and check of this task see; nothing else is inherited. */
  environment(
    task: Task,
    repoName: string,
    disposable?: WorktreePlace,
  ): Readonly<Record<string, string>>
  /** The same for the agent, with the variables of its model. */
  agentEnvironment(task: Task, repoName: string): Readonly<Record<string, string>>
  /** What an agent sees beside: how to reach the daemon, for the verbs of agents alone; and its PATH. */
  agentVariables(task: TaskId, path: string | undefined): Readonly<Record<string, string>>
  /** Takes in what the agent has put into its session file until now. */
  takeReport(task: TaskId): void
  mintSessionId(): SessionId
  /** What a task has changed so far, for whoever takes it over. */
  changedFiles(task: Task): Promise<Stopped["changes"]>
  /** Told of errors that are ours; the task stops as it does after any other failure. */
  onBug(error: unknown): void
}

/** How the workspace of an agent's task is set up. */
export function strategyOf(
  { workspaces, folders }: Pick<JobsContext, "workspaces" | "folders">,
  { strategy }: Pick<Task, "strategy">,
): WorkspaceStrategy {
  return strategy === "static" ? folders : workspaces
}
