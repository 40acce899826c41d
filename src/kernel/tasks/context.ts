/** Everything that the jobs loop works with: the store, runtimes, workspaces, configuration. */

import type { SessionId, TaskId } from "../../base/ids.ts"
import type { World } from "../../base/world.ts"
import type { WorkedBy } from "../../config/agent-of-task.ts"
import type { AgentConfig, Config, RepoConfig } from "../../config/config.ts"
import type { ProcessOwner } from "../process/owner.ts"
import type { Person, Runtime, SessionEnd, TurnImage } from "../runtime/runtime.ts"
import type { Db } from "../store/open.ts"
import type { Waits } from "../waits/waits.ts"
import type { DisposableWorktrees } from "../workspaces/disposable.ts"
import type { TaskLock } from "../workspaces/locks/task-lock.ts"
import type { WorkspaceStrategy } from "../workspaces/workspace.ts"
import type { WorktreePlace } from "../workspaces/workspace-facts.ts"
import type { AgentSecrets } from "./agent-secrets.ts"
import type { Slots } from "./agent-slots.ts"
import type { Stopped } from "./prompts/fresh-conversation.ts"
import type { Attachments } from "./rows/attached.ts"
import type { Task } from "./rows/row.ts"
import type { Turn } from "./rows/turns/find.ts"
import type { Written } from "./text-in-progress.ts"

export type JobsContext = Attachments & {
  readonly world: World
  readonly db: Db
  /** The home's permanent name; worktrees and refs carry it. */
  readonly home: string
  readonly owner: ProcessOwner
  readonly workspaces: WorkspaceStrategy
  /** For agents that work directly in a user's folder (`static`). */
  readonly folders: WorkspaceStrategy
  readonly disposables: DisposableWorktrees
  readonly taskLock: TaskLock
  readonly waits: Waits
  readonly slots: Slots
  readonly written: Written
  readonly secrets: AgentSecrets
  /** How many agents run at the same time, among other limits. */
  limits(): Config["limits"]
  findAgent(task: WorkedBy): AgentConfig | undefined
  /**
   * The agent's settings; for work without an agent, the defaults. @throws {ConfigGoneError} (user) if
   * the agent is not configured. `repoConfig` does the same for a repository.
   */
  agentConfig(task: WorkedBy): AgentConfig
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
  runtime(agent: AgentConfig): Runtime
  /** The name of the agent's login at its model API; null if that login has no limits of its own. */
  account(agent: AgentConfig): string | null
  /** The whole environment of this task's setup and check. */
  environment(
    task: Task,
    repoName: string,
    disposable?: WorktreePlace,
  ): Readonly<Record<string, string>>
  /** The same for the agent, with the variables of its model. */
  agentEnvironment(task: Task, repoName: string): Readonly<Record<string, string>>
  /**
   * Extra variables for the agent (its PATH, and how to reach the daemon with the agent verbs), a folder
   * for files of its session, and one for copies of all transcripts.
   */
  connectAgent(
    task: TaskId,
    path: string | undefined,
  ): {
    readonly variables: Readonly<Record<string, string>>
    readonly scratch: string
    readonly transcripts: string
  }
  /**
   * Says whether the agent, which works in `cwd`, may use a tool now. Undefined: it may use every tool.
   */
  guard(task: TaskId, agent: AgentConfig, cwd: string): Person["permit"]
  /** The images that a person sent with the message of a turn. */
  imagesOf(task: TaskId, n: number): readonly TurnImage[]
  /**
   * Copies the commits of a contained agent to its branches, and the state of the repositories to the
   * agent. Does nothing for other agents. @throws {WorkspaceError} if the commits cannot be copied.
   */
  exchangeCommits(task: TaskId, when: { readonly isEnd: boolean }): Promise<void>
  /** Commits leftovers to the task's branches. @returns one sentence for each place where some stay. */
  commitKept(task: Task): Promise<readonly string[]>
  /** Runs the agent's `before_run` hooks, before the first turn of a job. @returns why the agent must not start. */
  beforeRun(task: Task, signal: AbortSignal): Promise<string | undefined>
  readonly fallbacks: Fallbacks
  readonly forks: Forks
  /** Reads what the agent has written to its session file so far. */
  takeReport(task: TaskId): void
  mintSessionId(): SessionId
  /** The changes of a task so far, for the conversation that takes it over. */
  changedFiles(task: Task): Promise<Stopped["changes"]>
  /** Receives our own bugs; the task then stops as after any other failure. */
  onBug(error: unknown): void
}

/** Tasks whose conversation begins as a copy of another task's. */
export type Forks = {
  /** The conversation that the first one of this task copies; undefined: none. */
  findCopied(task: TaskId): SessionId | undefined
  /** The first prompt of a conversation that is a copy. @param prompt what the task wants. */
  introduce(prompt: string): string
  /** The first prompt of a fork whose conversation cannot be copied; undefined: the task is no fork. */
  brief(task: TaskId, prompt: string): string | undefined
}

/** Agents that take over from one that cannot work. */
export type Fallbacks = {
  /**
   * @param first the turn that the session began with; the session may be at a later one now.
   * @param end how it ended, or why it cannot begin.
   * @returns false, and changes nothing, if its agent can work or no other agent can have the turn.
   */
  takeOver(first: Turn, end: Unable): Promise<boolean>
  /** How long the task's agent may be unavailable, in ms; undefined: no other agent may take over. */
  patienceMs(task: TaskId): number | undefined
}

/** The agent's program is not installed. */
export type Missing = { readonly kind: "missing"; readonly text: string }

/** The end of a session, which may tell that its agent cannot work. */
export type Unable =
  | SessionEnd
  | Missing
  | { readonly kind: "stuck"; readonly code: string; readonly text: string }

/** For an action that only reads and writes rows. */
export type Rows = Pick<JobsContext, "db" | "world">

/** The strategy that sets up the workspace of an agent's task. */
export function strategyOf(
  { workspaces, folders }: Pick<JobsContext, "workspaces" | "folders">,
  { strategy }: Pick<Task, "strategy">,
): WorkspaceStrategy {
  return strategy === "static" ? folders : workspaces
}
