/** Turns a checked coppice.yml into the configuration that the program uses. */
import type { AgentConfig, Config, RepoConfig } from "../config.ts"
import type { ConfigFile } from "./schema.ts"

type RepoFile = ConfigFile["repos"][string]
type AgentFile = ConfigFile["agents"][string]

export function resolveConfig(file: ConfigFile): Config {
  return {
    repos: Object.entries(file.repos).map(([name, repo]) => resolveRepo(name, repo)),
    agents: Object.entries(file.agents).map(([name, agent]) => resolveAgent(name, agent)),
    limits: file.limits,
  }
}

function resolveRepo(name: string, file: RepoFile): RepoConfig {
  const { gate_timeout: gateTimeoutMs, gate_files: gateFiles, ...rest } = file
  const { path, target, gate, setup, check, teardown, ports, copy, link, approve } = rest
  const gates = { gate, gateTimeoutMs, gateFiles }
  return { name, path, target, ...gates, setup, check, teardown, ports, copy, link, approve }
}

function resolveAgent(name: string, file: AgentFile): AgentConfig {
  return {
    name,
    runtime: file.runtime,
    model: file.model,
    systemPrompt: file.system_prompt,
    instructions: file.instructions,
    concurrentMax: file.max_concurrent,
    workspace: resolveWorkspace(file.workspace),
    landing: resolveLanding(file.landing),
    session: {
      turnsMax: file.session.max_turns,
      timeoutMs: file.session.timeout,
      askWaitMs: file.session.ask_wait,
    },
    permissions: file.permissions,
    env: file.env,
    command: file.command,
  }
}

function resolveWorkspace(file: AgentFile["workspace"]): AgentConfig["workspace"] {
  return {
    strategy: file.strategy,
    worktreeDir: file.worktree_dir,
    branchPattern: file.branch_pattern,
    fetchBeforeSetup: file.fetch_before_setup,
    cleanupOnFailure: file.cleanup_on_failure,
    commitMessage: file.commit_message,
  }
}

function resolveLanding(file: AgentFile["landing"]): AgentConfig["landing"] {
  return {
    mode: file.mode,
    handbacksMax: file.max_handbacks,
    attemptsMax: file.max_attempts,
    lockTimeoutMs: file.lock_timeout,
    hookWaitMs: file.hook_wait,
    gateIn: file.gate_in,
    requireDone: file.require_done,
  }
}
