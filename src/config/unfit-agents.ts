/** Finds agents that a source or another agent names in vain: not configured, or not able to do what is asked. */

import type { AgentConfig, Config } from "./config.ts"
import type { Problem } from "./problems.ts"
import { findGainedRight, findMissingFence } from "./rights.ts"

type Named = {
  /** The place in the file that names the agent. */
  readonly path: string
  readonly name: string
  readonly objectionTo?: (agent: AgentConfig) => string | undefined
}

export function listUnfitAgents({ agents, sources }: Config): Problem[] {
  const ofSources = sources.flatMap(({ name, agent, schedule }): Named[] =>
    agent === undefined || schedule ? [] : [{ path: `sources.${name}.agent`, name: agent }],
  )
  const named = [
    ...ofSources,
    ...agents.flatMap(plannerOf),
    ...agents.flatMap(reviewersOf),
    ...agents.flatMap(fallbacksOf),
    ...agents.flatMap((agent) => workersOf(agents, agent)),
  ]
  return named.flatMap(({ path, name, objectionTo }) => {
    const agent = agents.find((one) => one.name === name)
    const names = agents.map((one) => one.name).join(", ")
    const message = agent
      ? objectionTo?.(agent)
      : `\`${name}\` is not configured: there is ${names}`
    return message === undefined ? [] : [{ path, message }]
  })
}

/** The source of a schedule has a name of its own, which another source may have. */
export function listTakenNames({ sources }: Config): Problem[] {
  return sources.flatMap(({ name, schedule }) => {
    if (!schedule || sources.filter((one) => one.name === name).length === 1) return []
    const path = `agents.${schedule.agent}.schedules.${schedule.name}.work_source`
    return [{ path, message: `is the source \`${name}\`, and another one has that name` }]
  })
}

function plannerOf({ name: own, planner, workspace }: AgentConfig): Named[] {
  if (planner === undefined) return []
  const objectionTo = ({ name, containment }: AgentConfig) => {
    if (name === own) return "names the agent itself: `plan: auto` or `approve` says that"
    return containment.by !== "none" && workspace.strategy === "static"
      ? `\`${name}\` is contained, which is not possible with \`strategy: static\``
      : undefined
  }
  return [{ path: `agents.${own}.plan.by`, name: planner, objectionTo }]
}

function reviewersOf({ name: own, review }: AgentConfig): Named[] {
  const objectionTo = ({ name, workspace }: AgentConfig) => {
    if (name === own) return "names the agent itself: its own work needs another reviewer"
    return workspace.strategy === "static"
      ? `\`${name}\` has \`strategy: static\`: a reviewer needs a worktree of its own`
      : undefined
  }
  return (review?.of ?? []).map((name) => ({ path: `agents.${own}.review`, name, objectionTo }))
}

/** A fallback keeps every fence around the agent whose work it takes over. */
function fallbacksOf(first: AgentConfig): Named[] {
  const objectionTo = (other: AgentConfig) => {
    const { name, containment } = other
    if (name === first.name) return "names the agent itself"
    if (first.review?.of.includes(name)) return `\`${name}\` reviews its work, so it cannot do it`
    return containment.by !== "none" && first.workspace.strategy === "static"
      ? `\`${name}\` is contained, which is not possible with \`strategy: static\``
      : findMissingFence(first, other)
  }
  const path = `agents.${first.name}.fallback`
  return first.fallback.map((name) => ({ path, name, objectionTo }))
}

/** The agents that may do sub-tasks of this one's. */
const workersOf = (agents: readonly AgentConfig[], first: AgentConfig): Named[] =>
  first.tasks.agents.map((name) => ({
    path: `agents.${first.name}.tasks.agents`,
    name,
    objectionTo: (other) => findGainedRight(agents, first, other),
  }))
