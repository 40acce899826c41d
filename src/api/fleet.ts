/** The parts of a running daemon. Its actions and routes name those that they use. */

import type { TaskId } from "../base/ids.ts"
import type { WorkedBy } from "../config/agent-of-task.ts"
import type { AgentConfig, RepoConfig } from "../config/config.ts"
import type { Home } from "../kernel/home.ts"
import type { Runtime } from "../kernel/runtime/runtime.ts"
import type { createTask } from "../kernel/tasks/actions/create-task.ts"
import type { Intake } from "../kernel/tasks/actions/intake.ts"
import type { AgentSecrets } from "../kernel/tasks/agent-secrets.ts"
import type { Attachments } from "../kernel/tasks/rows/attached.ts"
import type { Task, TaskRepo } from "../kernel/tasks/rows/row.ts"
import type { Written } from "../kernel/tasks/text-in-progress.ts"
import type { LiveFacts } from "../kernel/waits/busy-place.ts"
import type { AgentAccess } from "./agent-tokens.ts"
import type { RunningFeature } from "./feature.ts"
import type { CheckDocument, RebasedDocument } from "./wire/agent.ts"
import type { MaintenanceDocument } from "./wire/home.ts"
import type { LandingPlanDocument } from "./wire/landings.ts"
import type { TakenDocument } from "./wire/requests.ts"
import type { Answer } from "./wire/routes.ts"
import type { UninstallItem } from "./wire/shell.ts"

/** A home, and answers about its agents and repositories. */
export type ConfiguredHome = Home &
  Attachments &
  Intake & {
    /** Identifies agents by their tokens. */
    readonly agents: AgentAccess
    runtime(agent: AgentConfig): Runtime
    /** Undefined: no agent did the work, or it is no longer configured. */
    findAgent(task: WorkedBy): AgentConfig | undefined
    /**
     * The defaults for work without an agent. @throws {ConfigGoneError} (user) when it is not configured; `repoConfig`
     * does the same.
     */
    agentConfig(task: WorkedBy): AgentConfig
    /** The repository at this path; defaults if it is no longer configured. */
    repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
  }

/** Features make these, for the handlers of routes. */
export type FleetParts = {
  /** The schedules of coppice.yml, by reference: `agent/name`, or a part that fits one alone. */
  readonly schedules: {
    /** Creates its task now. @param key of the request. */
    trigger(ref: string, key: string | undefined): Promise<{ task: Task; taken: TakenDocument }>
    switch(ref: string, isOn: boolean): Answer<"switchSchedule">
  }
  readonly sources: {
    describe(): Answer<"sources">
    /** Polls a source now. @param key of the request. @returns the tasks of its new items. */
    poll(source: string, key?: string): Promise<readonly CreatedTask[]>
    /** Reads the task's item again, so that its next conversation begins with the present text. */
    readAgain(task: Task): Promise<void>
  }
  /** A preview of landing the task's work now, by repository. */
  previewLanding(task: Task): Promise<LandingPlanDocument["repos"]>
  readonly hooks: {
    /** Called when a browser was added or removed. */
    refresh(): void
  }
  readonly maintenance: {
    /** The findings of the last run. */
    readonly report: MaintenanceDocument
    preview(): Promise<Answer<"planGc">>
    collect(): Promise<Answer<"gc">>
    worktrees(sizes?: boolean): Promise<Answer<"worktrees">>
    remove(task: Task): Promise<Answer<"removeWorktree">["items"]>
    prune(): Promise<Answer<"pruneWorktrees">["items"]>
    /** Removes all that Coppice made in the repositories, as long as no work is lost. */
    leave(request: {
      readonly isDryRun: boolean
      readonly isApproved: boolean
      isShared(repo: string): boolean
    }): Promise<UninstallItem[]>
  }
}

type CreatedTask = Awaited<ReturnType<typeof createTask>>

export type Fleet = ConfiguredHome &
  LiveFacts &
  FleetParts & {
    readonly features: readonly RunningFeature[]
    /** Rebases at the agent's own request. */
    rebaseToMain(task: Task, repo: TaskRepo): Promise<RebasedDocument>
    /** Runs the gate of these repositories of the task in its worktrees, as they are now. */
    checkWork(
      task: Task,
      repos: readonly TaskRepo[],
      signal: AbortSignal,
    ): Promise<CheckDocument | undefined>
    readonly progress: {
      /** @returns when it is on disk; false if the task has no open turn, so that nothing was written. */
      note(task: TaskId, text: string): Promise<boolean>
    }
    readonly written: Pick<Written, "read" | "follow">
    readonly secrets: Pick<AgentSecrets, "hideIn">
    /**
     * Sets up the task's worktrees without starting an agent. @param agent whose configuration
     * applies to a task without an agent.
     */
    prepareByHand(task: Task, agent: AgentConfig | undefined): Promise<void>
    /** A person has acted on the task, so a pause after an error ends at once. */
    retry(task: TaskId): void
    /** The environment of the task's agent, without the variables for reaching the daemon. */
    agentEnvironment(task: Task, repoName: string): Readonly<Record<string, string>>
  }
