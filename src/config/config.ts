/**
 * The configuration as the program uses it: checked, every default filled in, times in ms.
 *
 * config/parse.ts makes it from the text of coppice.yml. Names follow this program's rules
 * (`turnsMax`, not `max_turns`); the words of the file are in config/schema.ts.
 */

import type { AgentKeys } from "../declared/schemas.ts"
import type { ContainmentConfig } from "../features/containment/rules/containment.ts"
import type { GitHook, GitHooks } from "../features/git-hooks/rules.ts"
import type { HookConfig } from "../features/hooks/rules.ts"
import type { Permissions } from "../features/permissions/rules.ts"
import type { ReviewConfig } from "../features/reviews/rules.ts"
import type { ScheduleConfig } from "../features/schedules/rules.ts"
import type { OnFailure } from "../features/sources/rules/source-item.ts"
import type { LandMode } from "../kernel/landing/rules/landing-states.ts"
import type { Budget } from "../kernel/tasks/rules/budget.ts"
import type { StrategyName } from "../kernel/tasks/rules/strategies.ts"
import type { RuntimeName } from "./runtimes.ts"

export type Config = {
  /** In the file's order, at least one. */
  readonly repos: readonly RepoConfig[]
  /** In the file's order, at least one; the first takes tasks that name none. */
  readonly agents: readonly AgentConfig[]
  readonly notify: readonly (HookConfig & { readonly name: string })[]
  /** The origin at which a proxy serves the dashboard to other devices; undefined: there is none. */
  readonly dashboard: { readonly url: string | undefined }
  readonly sources: readonly SourceConfig[]
  readonly maintenance: MaintenanceConfig
  readonly limits: LimitsConfig
}

export type RepoConfig = {
  readonly name: string
  /** Absolute, or relative to the home. */
  readonly path: string
  /** Branch name. Undefined: derived from the repository. */
  readonly target: string | undefined
  /** Run by `sh -c`. Undefined: derived from the repository's files. False: nothing is tested. */
  readonly gate: string | false | undefined
  readonly gateTimeoutMs: number
  /** Patterns of paths whose changes are flagged. Undefined: the files that the gate's command names. */
  readonly gateFiles: readonly string[] | undefined
  /** Patterns of paths that the gate may write, as in git's pathspecs. */
  readonly gateWrites: readonly string[]
  /** Run by `sh -c`. Undefined: the install of the lockfile found. False: nothing is run. */
  readonly setup: string | false | undefined
  /** The file of another tool that names the set-up (features/foreign-setup/foreign-setup.ts). */
  readonly setupFrom?: string | undefined
  /** Git hooks that a person approved (features/git-hooks/repository-hooks.ts). */
  readonly hooks?: GitHooks
  /** A hash of the addresses that it may be pushed to (features/trust/push-address.ts). */
  readonly pushAddress?: string
  /** Run by `sh -c` after set-up; must exit 0 before the agent starts. */
  readonly check: string | undefined
  /** Run by `sh -c` in a worktree before it goes. Undefined: nothing is run. */
  readonly teardown: string | undefined
  /** How many ports in a row each task has. */
  readonly ports: number
  /** Paths relative to the repository, brought into each fresh worktree. */
  readonly copy: readonly string[]
  readonly link: readonly string[]
  /** Every landing here needs an approval, also of a person's own work. */
  readonly approve: boolean
  /** A landing moves the target of the remote, then the local one. */
  readonly pushTarget: boolean
  readonly forge: ForgeConfig
  /** The source to clone from while the folder does not exist. */
  readonly clone: CloneConfig | undefined
}

/** The forge of a repository. Undefined: derived from the address of the remote. */
export type ForgeConfig = {
  readonly type?: ForgeType | undefined
  /** `<owner>/<name>`; on GitLab there may be several groups. */
  readonly project?: string | undefined
  /** URL of its API. */
  readonly apiUrl?: string | undefined
  readonly remote: string
  /** The variable of the daemon's environment that holds the token. */
  readonly tokenVariable?: string | undefined
  /** The time between two looks at an open pull request. */
  readonly pollMs: number
}

/** `gitea`: Forgejo too. */
export type ForgeType = "github" | "gitlab" | "gitea"

export type CloneConfig = {
  /** May hold a password: never printed. */
  readonly url: string
  /** Commits of history; undefined: all of it. */
  readonly depth: number | undefined
}

export type AgentConfig = {
  readonly name: string
  readonly runtime: RuntimeName
  /** Undefined: the program's own default. */
  readonly model: string | undefined
  readonly systemPrompt: string | undefined
  /** Files read from the target's commit; missing ones are skipped. */
  readonly instructions: readonly string[]
  /** Undefined: only the limit of all agents together. */
  readonly concurrentMax: number | undefined
  readonly workingDirectory: WorkingDirectory | undefined
  readonly workspace: WorkspaceConfig
  readonly landing: LandingConfig
  readonly pullRequest: PullRequestConfig
  readonly plan: PlanMode
  /** The agent that writes the plan; undefined: this one. */
  readonly planner: string | undefined
  readonly session: SessionConfig
  /** The agent's budget for a task, from one start by a person to the next. */
  readonly budget: Budget
  /** How its processes are fenced in: agent, set-up, check, gate and teardown. */
  readonly containment: ContainmentConfig
  /** The agent's permissions without asking. */
  readonly permissions: Permissions
  readonly env: Readonly<Record<string, string>>
  /** Set iff the runtime is `command` or `acp`. A string is run by `sh -c`, a list as it is. */
  readonly command: string | readonly string[] | undefined
  /** The command for later turns of a conversation. Undefined: the same as for the first. */
  readonly resume: readonly string[] | undefined
  readonly mcpServers: readonly McpServer[]
  readonly tasks: SubTaskConfig
  /** The agents that must approve its work before it lands; undefined: none. */
  readonly review: ReviewConfig | undefined
  /** The agents that take over from it, in this order. */
  readonly fallback: readonly string[]
  /** How long it may be unavailable before one does. */
  readonly fallbackAfterMs: number
  /** Share of its account's limits that is kept for a person; undefined: as for all agents. */
  readonly reserve: number | undefined
  /** Restarts a task once after a failure that needs no decision. */
  readonly restartOnFailure: boolean
  /** The clean-up of its worktrees. */
  readonly maintenance: OwnMaintenance
  readonly hooks: readonly HookConfig[]
  /** Set iff it is contained: commands of the home that run outside of its fence. */
  readonly outside?: readonly string[]
  readonly schedules: readonly ScheduleConfig[]
} & AgentKeys

/** A server of tools over the Model Context Protocol, which the agent's program starts or reaches. */
export type McpServer = { readonly name: string } & (
  | {
      readonly kind: "stdio"
      /** The program and its arguments. */
      readonly command: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: "http"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
)

/** Whether tasks that the agent proposes wait for a person (`ask`), or start at once within bounds. */
export type SubTaskConfig = {
  readonly propose: "ask" | "allow"
  /** How many tasks there are below the first one of a tree. */
  readonly countMax: number
  readonly depthMax: number
  /** The agents that it may choose for a sub-task, next to its own. */
  readonly agents: readonly string[]
}

/** How the program of an agent is started. */
export type AgentProgram = Pick<AgentConfig, "runtime" | "command" | "resume">

export type SessionConfig = {
  readonly turnsMax: number
  readonly timeoutMs: number
  /** How long an agent waits for a person's answer. */
  readonly askWaitMs: number
  /** A conversation hands over to a fresh one at this share of its context; 1: never. */
  readonly handoffAt: number
}

export type LimitsConfig = {
  /** How many agents work at the same time, in all. */
  readonly concurrent: number
  /** The budget of all agents for a day (UTC). */
  readonly perDay: Budget
  /** Share of a subscription's limit that is kept for a person. */
  readonly reserve: number
}

/** A tracker, a chat or a folder whose items become tasks. */
export type SourceConfig = {
  readonly name: string
  readonly type: "files" | ForgeType | "linear" | "jira" | "slack" | "discord"
  /** Undefined: the first agent. */
  readonly agent: string | undefined
  /** Set iff it is `files`: relative to the home. */
  readonly folder: string | undefined
  /**
   * Set unless it is `files`: the path of the repository or project, the key of the team, or the id of the
   * channel.
   */
  readonly project: string | undefined
  /** For Linear: only issues of this project, by its slug. */
  readonly slug: string | undefined
  /** Undefined: the tracker's public one. */
  readonly apiUrl: string | undefined
  /** Undefined: the tracker's usual variables. */
  readonly tokenVariable: string | undefined
  /** For Jira: the account whose token it is. Undefined: that of its usual variable. */
  readonly email: string | undefined
  readonly labels: { readonly ready: string; readonly inProgress: string }
  /** States of a workflow that take the place of the labels. */
  readonly states: StatesConfig | undefined
  /** The people whose items are taken. `members`: those who may write to the repository. */
  readonly authors: "members" | "anyone" | readonly string[]
  readonly intervalMs: number
  /** The source is polled at this schedule's ticks alone, and its tasks are the schedule's. */
  readonly schedule: SourceSchedule | undefined
  /** For a chat: only a message that mentions the bot is an item. */
  readonly needsMention: boolean
  /** For a chat: how long a thread stays a conversation after its last message. */
  readonly expiresMs: number
  /** How many of its items are in work at the same time. */
  readonly openMax: number
  /** Undefined: as its agent's tasks land. */
  readonly land: LandMode | undefined
  /** Stands before the item's text; undefined: a default. */
  readonly prompt: string | undefined
  /** The item of a cancelled task becomes ready again. */
  readonly readyAgain: boolean
  readonly onFailure: OnFailure
}

export type SourceSchedule = {
  readonly agent: string
  readonly name: string
  readonly priority: number
}

export type StatesConfig = {
  /** At least one. An issue that becomes ready again moves to the first one. */
  readonly ready: readonly [string, ...string[]]
  readonly inProgress: string
  /** Undefined: an end leaves the issue in its state. */
  readonly done: string | undefined
}

/** The repository for tasks that name none. */
export type WorkingDirectory = {
  /** Absolute, or relative to the home. */
  readonly root: string
  /** The name of that repository; set once the whole configuration is known. */
  readonly repo?: string
  /** Branch name: the target of its tasks. */
  readonly defaultBranch: string | undefined
  readonly clone: CloneConfig | undefined
}

export type WorkspaceConfig = {
  readonly strategy: StrategyName
  /** Absolute, or relative to the repository; may hold `<repo>`. */
  readonly worktreeDir: string
  /** May hold {agent}, {workItem}, {jobId}, {date} and {scheduleName}. */
  readonly branchPattern: string
  readonly fetchBeforeSetup: boolean
  /** Removes the worktrees of cancelled tasks, rescue ref first. */
  readonly cleanupOnFailure: boolean
  /** Worktrees that stay although their work is safe; `on_failure`: those of cancelled tasks. */
  readonly keep: "always" | "on_failure" | "never"
  /** Whether a new task waits or is skipped while another works on its work item. */
  readonly whenBusy: "queue" | "skip"
  /** May hold {summary}, the agent's last message in one line. */
  readonly commitMessage: string
  /** `fail`: the task is stuck. `warn`: it is complete, its work stays on its branch. `retry`: it is pushed again, then as `fail`. */
  readonly onPushFailure: "fail" | "warn" | "retry"
  readonly pool: PoolConfig
}

/**
 * How many worktrees are made ahead of need, in each repository that the agent works in.
 * `auto`: one where it pays, see features/pool/rules.ts.
 */
export type PoolConfig = "auto" | number

export type PullRequestConfig = {
  /** May hold {title}, {task}, {workItem}, {summary}; the body likewise. */
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
  readonly isDraft: boolean
  /** How Coppice asks the forge to merge an approved and green one; false: a person does. */
  readonly autoMerge: false | MergeMethod
  /** Whether its branch goes from the remote once the target has the work. */
  readonly deletesBranch: boolean
}

export type MergeMethod = "merge" | "squash" | "rebase"

/** Whether an agent writes a plan before it works, and whether a person approves that. */
export type PlanMode = "none" | "auto" | "approve"

export type LandingConfig = {
  readonly mode: LandMode
  readonly handbacksMax: number
  readonly attemptsMax: number
  /** How long an action waits for the worktree at a time. */
  readonly lockTimeoutMs: number
  readonly hookWaitMs: number
  /** `candidate`: in a disposable worktree. */
  readonly gateIn: "worktree" | "candidate"
  /** Only work that the agent declared done lands. */
  readonly requireDone: boolean
  readonly sign: boolean
  readonly signoff: boolean
  /** Git hooks of the repository that are part of the gate. */
  readonly hooks: readonly GitHook[]
}

/** An undefined value is as in {@link MaintenanceConfig}. */
export type OwnMaintenance = {
  readonly enabled?: boolean | undefined
  readonly ageMsMax?: number | undefined
  readonly pruneUnmerged?: boolean | undefined
}

/** Automatic clean-up, and how long finished things are kept. */
export type MaintenanceConfig = {
  readonly worktrees: {
    readonly enabled: boolean
    readonly intervalMs: number
    readonly ageMsMax: number
    readonly onStartup: boolean
    /** Also removes work that is not in the target, after saving it under a rescue ref. */
    readonly pruneUnmerged: boolean
  }
  readonly sessions: { readonly enabled: boolean; readonly intervalMs: number }
  /** For the records of finished tasks. */
  readonly retentionMs: number
  readonly rescue: RescueBounds
}

/** For the rescue refs of one repository. */
export type RescueBounds = {
  readonly ageMsMax: number
  readonly countMax: number
  readonly bytesMax: number
}
