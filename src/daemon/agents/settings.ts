/** Answers about a home's agents and repositories, from its configuration. */
import type { AgentAccess } from "../../api/agent-tokens.ts"
import type { ConfiguredHome } from "../../api/fleet.ts"
import type { World } from "../../base/world.ts"
import { agentOfTask, type WorkedBy } from "../../config/agent-of-task.ts"
import type { AgentConfig, Config } from "../../config/config.ts"
import type { LiveConfig } from "../../config/live/live-config.ts"
import { defaultConfig } from "../../config/parse.ts"
import { findAttached } from "../../features/attach/attached-program.ts"
import type { Db } from "../../kernel/store/open.ts"
import { ConfigGoneError } from "../../kernel/tasks/rules/config-gone.ts"
import { intakeOf } from "../feature-intake.ts"
import { runtimeOf } from "../runtimes.ts"
import { configuredRepo } from "./configured-repo.ts"

type Facts = {
  readonly home: string
  readonly stateDir: string
  readonly name: string
  readonly config: LiveConfig
  readonly db: Db
  readonly world: World
  readonly agents: AgentAccess
}

let noAgent: AgentConfig | undefined

/** For work that no agent did: the defaults, and what the first agent's landings must satisfy. */
function withoutAgent({ agents: [first] }: Config): AgentConfig | undefined {
  noAgent ??= defaultConfig("none").agents[0]
  if (!noAgent || !first) return noAgent
  const { sign, signoff, hooks } = first.landing
  return { ...noAgent, landing: { ...noAgent.landing, sign, signoff, hooks } }
}

/** @param ending aborts when the daemon ends. */
export function createSettings(parts: Facts, ending: AbortSignal): ConfiguredHome {
  const { home, stateDir, name, config, db, world, agents } = parts
  const findAgent = (task: WorkedBy) => agentOfTask(config.current, task)
  const agentConfig = (task: WorkedBy): AgentConfig => {
    const found = task.agent === null ? withoutAgent(config.current) : findAgent(task)
    if (!found) throw new ConfigGoneError("agents", String(task.agent))
    return found
  }
  return {
    ...intakeOf({ db, ending, home, stateDir, world }),
    agents,
    home,
    stateDir,
    name,
    db,
    world,
    ending,
    findAgent,
    agentConfig,
    repoConfig: (repo) => configuredRepo(home, config.current, repo),
    findAttached,
    runtime: runtimeOf,
    config: () => config.current,
    checkedConfig: () => config.checked(),
  }
}
