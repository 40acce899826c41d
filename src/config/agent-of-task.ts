/**
 * Finds the settings of a task's agent.
 *
 * While a task plans, that is the agent that plans for it, if there is one. A fallback that has taken
 * over brings its own program, login and limits. All else stays as the first agent has it.
 *
 * An agent that coppice.yml does not name has the settings of its first agent, with a program of its
 * own, that program's default model, and no servers of tools. The task's row keeps how the program is started.
 */

import { isGuarded } from "../features/permissions/rules.ts"
import type { AgentConfig, AgentProgram, Config } from "./config.ts"
import { UnkeptError } from "./errors.ts"
import { abilitiesOf } from "./runtimes.ts"

export type WorkedBy = {
  /** Name in the configuration, or of the program; null for work of a person or another tool. */
  readonly agent: string | null
  /** How its program is started; null: as coppice.yml says. */
  readonly program: AgentProgram | null
  /** The agent that plans; null or absent: the task's own. */
  readonly planner?: string | null
  /** The fallback that has taken over; null or absent: none. */
  readonly standIn?: { readonly agent: string } | null
  readonly state?: string
  readonly returnsTo?: string | null
}

/** In these states a task's next turn is one of planning. */
const PLANS: readonly unknown[] = ["registered", "planning", "planning_complete"]

/** The agent that works on the task now, if it is another than its own. */
function plannerNow({ planner = null, state, returnsTo }: WorkedBy): string | null {
  const phase = state === "stuck" || state === "paused" ? returnsTo : state
  return PLANS.includes(phase) ? planner : null
}

/** Undefined: no agent did the work, or coppice.yml no longer names it. */
export function agentOfTask(
  config: Pick<Config, "agents">,
  task: WorkedBy,
): AgentConfig | undefined {
  const first = firstAgent(config, task)
  const name = task.standIn?.agent
  // An agent that was taken off the list was not checked for it any more.
  if (!first || name === undefined || !first.fallback.includes(name)) return first
  const other = config.agents.find((agent) => agent.name === name)
  return other && { ...first, ...programOf(other) }
}

/** The settings of the program that runs, and not of the task. */
function programOf(agent: AgentConfig) {
  const { name, runtime, command, resume, model, env, session, budget } = agent
  const { containment, permissions, concurrentMax, reserve, mcpServers } = agent
  const limits = { session, budget, containment, permissions, concurrentMax, reserve }
  const outside = agent.outside && { outside: agent.outside } // work of the agent before it stays checked
  return { name, runtime, command, resume, model, env, mcpServers, ...limits, ...outside }
}

/** The agent whose turn it is, whether or not a fallback has taken over from it. */
function firstAgent({ agents }: Pick<Config, "agents">, task: WorkedBy): AgentConfig | undefined {
  const { agent: name, program } = task
  const planner = plannerNow(task)
  if (planner !== null) return agents.find((agent) => agent.name === planner)
  if (name === null) return undefined
  const [first] = agents
  if (!program || !first) return agents.find((agent) => agent.name === name)
  const { runtime, command, resume } = program
  const own = { name, runtime, command, resume, model: undefined }
  return { ...first, ...own, fallback: [], mcpServers: [] }
}

/** @throws {UnkeptError} (user) if the agent's runtime cannot keep one of its settings. */
export function refuseUnkept(agent: AgentConfig): void {
  const unkept = findUnkept(agent)
  if (unkept) throw new UnkeptError(agent.name, unkept)
}

type Unkept = {
  readonly key: "model" | "permissions" | "budget" | "mcp_servers"
  readonly why: string
}

/** A setting that the agent's runtime cannot keep; undefined: it keeps them all. */
export function findUnkept({
  runtime,
  model,
  permissions,
  budget,
  mcpServers,
}: Pick<AgentConfig, "runtime" | "permissions"> & {
  readonly model?: string | undefined
  readonly mcpServers: readonly unknown[]
  readonly budget: { readonly cost?: unknown; readonly costUsd?: unknown }
}): Unkept | undefined {
  const can = abilitiesOf(runtime)
  if (model !== undefined && !can.model)
    return { key: "model", why: `\`runtime: ${runtime}\` takes none: name it in \`command\`` }
  if (isGuarded(permissions) && !can.permissions)
    return { key: "permissions", why: `Coppice does not see the tools of \`runtime: ${runtime}\`` }
  if ((budget.cost ?? budget.costUsd) !== undefined && !can.cost)
    return { key: "budget", why: `the cost of \`runtime: ${runtime}\` is not known` }
  if (mcpServers.length > 0 && !can.servers)
    return { key: "mcp_servers", why: `Coppice cannot give \`runtime: ${runtime}\` any` }
  return undefined
}
