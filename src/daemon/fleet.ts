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
  /** Identifies agents by their tokens. */
  readonly agents: AgentAccess
  /** Rebases at the agent's own request. */
  rebaseToMain(task: Task, repo: TaskRepo): Promise<RebasedDocument>
  /** Runs the gate of these repositories of the task in its worktrees, as they are now. */
  checkWork(
    task: Task,
    repos: readonly TaskRepo[],
    signal: AbortSignal,
  ): Promise<CheckDocument | undefined>
  readonly progress: ProgressLog
  /**
   * Sets up the task's worktrees without starting an agent. @param agent whose configuration
   * applies to a task without an agent.
   */
  prepareByHand(task: Task, agent: AgentConfig | undefined): Promise<void>
  readonly findRest: LiveFacts["findRest"]
  /** A person has acted on the task, so a pause after an error ends at once. */
  retry(task: TaskId): void
  readonly findStep: LiveFacts["findStep"]
  readonly findWait: LiveFacts["findWait"]
  /** A preview of landing the task's work now, by repository. */
  planLanding(task: Task): Promise<LandingPlanDocument["repos"]>
  readonly maintenance: Pick<
    Maintenance,
    "plan" | "collect" | "report" | "worktrees" | "prune" | "remove"
  >
  /** Real path of the home. */
  readonly home: string
  /** The home's state directory; it identifies the home's worktrees and refs. */
  readonly stateDir: string
  /** The last coppice.yml without mistakes. */
  config(): Config
  /** coppice.yml as it is now. @throws {ConfigError} (user) naming every mistake in it. */
  checkedConfig(): Config
  readonly db: Db
  readonly world: World
  runtime(agent: AgentConfig): Runtime
  /** The environment of the task's agent, without the variables for reaching the daemon. */
  agentEnvironment(task: Task, repoName: string): Readonly<Record<string, string>>
  /**
   * The agent of this name; if it is no longer configured, a default with the first agent's
   * settings.
   */
  findAgent(name: string): AgentConfig | undefined
  /**
   * Null: the defaults. @throws {ConfigGoneError} (user) when it is not configured; `repoConfig`
   * does the same.
   */
  agentConfig(name: string | null): AgentConfig
  /** The repository at this path; defaults if it is no longer configured. */
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
}

/** The part of a fleet that a person's action on a task needs. */
export type FleetRows = Pick<Fleet, "db" | "world">
