/** Turns a checked coppice.yml into the configuration that the program uses. */

import { assert } from "../base/assert.ts"
import { AgentKeys } from "../declared/schemas.ts"
import { resolveContainment } from "../features/containment/config.ts"
import { resolveHooks, resolveNotice } from "../features/hooks/config.ts"
import { resolveSchedule, sourceNameOf } from "../features/schedules/config.ts"
import { isChat, labelsOf, readyStates } from "../features/sources/config.ts"
import type { Budget } from "../kernel/tasks/rules/budget.ts"
import type { AgentConfig, Config, RepoConfig, SourceConfig, WorkingDirectory } from "./config.ts"
import { resolveServers } from "./mcp-fields.ts"
import type { ConfigFile } from "./schema.ts"

type RepoFile = ConfigFile["repos"][string]
type AgentFile = ConfigFile["agents"][string]
type SourceFile = ConfigFile["sources"][string]

export function resolveConfig(file: ConfigFile): Config {
  return {
    repos: Object.entries(file.repos).map(([name, repo]) => resolveRepo(name, repo)),
    agents: withCommandsOutside(
      Object.entries(file.agents).map(([name, agent]) => resolveAgent(name, agent)),
    ),
    notify: Object.entries(file.notify).map(([name, one]) => ({ name, ...resolveNotice(one) })),
    dashboard: { url: file.dashboard.url },
    sources: [
      ...Object.entries(file.sources).map(([name, source]) => resolveSource(name, source)),
      ...Object.entries(file.agents).flatMap(([name, agent]) => scheduledSources(name, agent)),
    ],
    maintenance: resolveMaintenance(file.maintenance),
    limits: {
      concurrent: file.limits.concurrent,
      perDay: budgetOf(file.limits.per_day),
      reserve: file.limits.reserve,
    },
  }
}

/** Hooks of every agent run in the home, where the work of a contained agent lands. */
function withCommandsOutside(agents: readonly AgentConfig[]): AgentConfig[] {
  const outside = agents.flatMap(({ hooks }) => hooks.flatMap(({ command }) => command ?? []))
  return agents.map((agent) => (agent.containment.by === "none" ? agent : { ...agent, outside }))
}

function resolveRepo(name: string, file: RepoFile): RepoConfig {
  const {
    gate_timeout: gateTimeoutMs,
    gate_files: gateFiles,
    gate_writes: gateWrites,
    ...rest
  } = file
  const { path, target, gate, setup, check, teardown, ports, copy, link, approve } = rest
  const { push_target: pushTarget } = rest
  const { api_url: apiUrl, token_variable: tokenVariable, poll: pollMs, ...place } = file.forge
  const forge = { ...place, apiUrl, tokenVariable, pollMs }
  const gates = { gate, gateTimeoutMs, gateFiles, gateWrites }
  const ready = { setup, check, teardown, ports, copy, link }
  return { name, path, target, ...gates, ...ready, approve, pushTarget, forge, clone: undefined }
}

function resolveAgent(name: string, file: AgentFile): AgentConfig {
  return {
    name,
    runtime: file.runtime,
    model: file.model,
    systemPrompt: file.system_prompt,
    instructions: file.instructions,
    concurrentMax: file.max_concurrent,
    workingDirectory: file.working_directory && resolveDirectory(file.working_directory),
    workspace: resolveWorkspace(file.workspace),
    landing: resolveLanding(file),
    pullRequest: resolvePullRequest(file.pull_request),
    plan: typeof file.plan === "object" ? file.plan.mode : file.plan,
    planner: typeof file.plan === "object" ? file.plan.by : undefined,
    session: {
      turnsMax: file.session.max_turns,
      timeoutMs: file.session.timeout,
      askWaitMs: file.session.ask_wait,
      handoffAt: file.session.handoff_at,
    },
    budget: budgetOf(file.budget),
    containment: resolveContainment(file),
    permissions: file.permissions,
    env: file.env,
    command: file.command,
    resume: file.resume,
    mcpServers: resolveServers(file.mcp_servers),
    tasks: {
      propose: file.tasks.propose,
      countMax: file.tasks.max,
      depthMax: file.tasks.max_depth,
      agents: file.tasks.agents,
    },
    review: resolveReview(file.review),
    fallback: file.fallback,
    fallbackAfterMs: file.fallback_after,
    reserve: file.reserve,
    restartOnFailure: file.restart_on_failure,
    maintenance: resolveOwnMaintenance(file.maintenance),
    hooks: resolveHooks(file.hooks),
    schedules: Object.entries(file.schedules).map(([key, one]) => resolveSchedule(name, key, one)),
    ...AgentKeys.parse(file),
  }
}

function resolveReview(file: AgentFile["review"]): AgentConfig["review"] {
  if (file === "none") return undefined
  const { by, of = by === undefined ? [] : [by], quorum } = file
  return { of, quorum }
}

function budgetOf({ turns, time: timeMs, tokens, cost: costUsd }: AgentFile["budget"]): Budget {
  return { turns, timeMs, tokens, costUsd }
}

function resolveDirectory(file: NonNullable<AgentFile["working_directory"]>): WorkingDirectory {
  const { root, default_branch: defaultBranch, auto_clone: url, clone_depth: depth } = file
  return { root, defaultBranch, clone: url === undefined ? undefined : { url, depth } }
}

function resolveWorkspace(file: AgentFile["workspace"]): AgentConfig["workspace"] {
  return {
    strategy: file.strategy,
    worktreeDir: file.worktree_dir,
    branchPattern: file.branch_pattern,
    fetchBeforeSetup: file.fetch_before_setup,
    cleanupOnFailure: file.cleanup_on_failure,
    keep: file.keep,
    whenBusy: file.when_busy,
    commitMessage: file.commit_message,
    onPushFailure: file.on_push_failure,
    pool: file.pool,
  }
}

function resolveLanding({ landing: file, workspace }: AgentFile): AgentConfig["landing"] {
  return {
    mode: file.mode ?? (workspace.strategy === "static" ? "none" : "merge"),
    handbacksMax: file.max_handbacks,
    attemptsMax: file.max_attempts,
    lockTimeoutMs: file.lock_timeout,
    hookWaitMs: file.hook_wait,
    gateIn: file.gate_in,
    requireDone: file.require_done,
    sign: file.sign,
    signoff: file.signoff,
    hooks: file.hooks,
  }
}

const INTERVAL_MS = 60_000
/** People wait for an answer in a chat. */
const CHAT_INTERVAL_MS = 10_000
const EXPIRES_MS = 24 * 60 * 60_000

function resolveSource(name: string, file: SourceFile): SourceConfig {
  const { ready, in_progress: inProgress } = labelsOf(file)
  assert(file.type !== "workflow", "the source that the file describes is in its place")
  return {
    name,
    type: file.type,
    agent: file.agent,
    folder: file.folder,
    project: file.repo ?? file.team ?? file.project ?? file.channel,
    slug: file.team === undefined ? undefined : file.project,
    apiUrl: file.api_url,
    tokenVariable: file.token_variable,
    email: file.email,
    labels: { ready, inProgress },
    states: resolveStates(file.states),
    authors: file.authors ?? "members",
    intervalMs: file.interval ?? (isChat(file) ? CHAT_INTERVAL_MS : INTERVAL_MS),
    schedule: undefined,
    needsMention: file.mention ?? true,
    expiresMs: file.session_expires ?? EXPIRES_MS,
    openMax: file.max_open,
    land: file.land,
    prompt: file.prompt,
    readyAgain: file.ready_again,
    onFailure: file.on_failure ?? "hold",
  }
}

/** The sources of an agent's schedules. */
function scheduledSources(agent: string, { schedules }: AgentFile): SourceConfig[] {
  return Object.entries(schedules).flatMap(([name, file]) => {
    const { work_source: source, prompt, priority } = file
    if (!source) return []
    const resolved = resolveSource(sourceNameOf(agent, name), source)
    return [{ ...resolved, agent, prompt, schedule: { agent, name, priority } }]
  })
}

function resolveStates(file: SourceFile["states"]): SourceConfig["states"] {
  return file && { ready: readyStates(file), inProgress: file.in_progress, done: file.done }
}

function resolvePullRequest(file: AgentFile["pull_request"]): AgentConfig["pullRequest"] {
  const { title, body, labels, reviewers, draft: isDraft } = file
  const { auto_merge: autoMerge, delete_branch: deletesBranch } = file
  return { title, body, labels, reviewers, isDraft, autoMerge, deletesBranch }
}

function resolveOwnMaintenance(file: AgentFile["maintenance"]): AgentConfig["maintenance"] {
  const { enabled, max_worktree_age: ageMsMax, ...rest } = file.worktree_cleanup
  return { enabled, ageMsMax, pruneUnmerged: rest.prune_unmerged_branches }
}

function resolveMaintenance(file: ConfigFile["maintenance"]): Config["maintenance"] {
  const { worktree_cleanup: worktrees, session_cleanup: sessions, rescue } = file
  return {
    worktrees: {
      enabled: worktrees.enabled,
      intervalMs: worktrees.interval,
      ageMsMax: worktrees.max_worktree_age,
      onStartup: worktrees.cleanup_on_startup,
      pruneUnmerged: worktrees.prune_unmerged_branches,
    },
    sessions: { enabled: sessions.enabled, intervalMs: sessions.interval },
    retentionMs: file.retention,
    rescue: { ageMsMax: rescue.max_age, countMax: rescue.max_count, bytesMax: rescue.max_size },
  }
}
