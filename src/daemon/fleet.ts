/** The parts of a running daemon, as its actions and routes see them. */

import type { AgentConfig, Config, RepoConfig } from "../core/config.ts"
import type { TaskId } from "../core/ids.ts"
import type { CheckDocument } from "../core/wire/agent.ts"
import type { LandingPlanDocument, RebasedDocument } from "../core/wire/documents.ts"
import type { World } from "../core/world.ts"
import type { LiveFacts } from "../homes/busy.ts"
import type { Runtime } from "../runtimes/runtime.ts"
import type { Db } from "../store/open.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import type { AgentAccess } from "./agent-access.ts"
import type { Maintenance } from "./maintenance/maintenance.ts"
import type { ProgressLog } from "./progress-log.ts"

export type Fleet = {
  /** Who is an agent of ours. */
  readonly agents: AgentAccess
  /** At its agent's request. */
  rebaseToMain(task: Task, repo: TaskRepo): Promise<RebasedDocument>
  /** Runs the gate of these repositories of the task in their worktrees as they are. */
  checkWork(
    task: Task,
    repos: readonly TaskRepo[],
    signal: AbortSignal,
  ): Promise<CheckDocument | undefined>
  readonly progress: ProgressLog
  /** Sets the task's worktrees up, and starts nothing of an agent. @param agent whose settings hold, of a task without one. */
  prepareByHand(task: Task, agent: AgentConfig | undefined): Promise<void>
  readonly findRest: LiveFacts["findRest"]
  /** A person has acted on the task: what rests after an error is tried at once. */
  retry(task: TaskId): void
  readonly findStep: LiveFacts["findStep"]
  readonly findWait: LiveFacts["findWait"]
  /** What landing the task's work would do now, by repository. */
  planLanding(task: Task): Promise<LandingPlanDocument["repos"]>
  readonly maintenance: Pick<
    Maintenance,
    "plan" | "collect" | "report" | "worktrees" | "prune" | "remove"
  >
  /** Real path of the home. */
  readonly home: string
  /** Names the home in its repositories: whose worktrees and refs are whose. */
  readonly stateDir: string
  /** coppice.yml as it last was without mistakes. */
  config(): Config
  /** coppice.yml as it is now. @throws {ConfigError} (user) naming every mistake in it. */
  checkedConfig(): Config
  readonly db: Db
  readonly world: World
  runtime(agent: AgentConfig): Runtime
  /** What the agent of this task sees, but for what reaches the daemon. */
  agentEnvironment(task: Task, repoName: string): Readonly<Record<string, string>>
  /** The agent of this name; the first one's settings where it is not configured any more. */
  findAgent(name: string): AgentConfig | undefined
  /** Null: the defaults. @throws {ConfigGoneError} (user) when it is not configured; repoConfig likewise. */
  agentConfig(name: string | null): AgentConfig
  /** The repository at this path; defaults where it is not configured any more. */
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
}

/** As much of a fleet as what a person does to a task touches. */
export type FleetRows = Pick<Fleet, "db" | "world">
