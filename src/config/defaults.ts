/**
 * Lays `defaults` of a configuration below each of its agents, before anything else reads them.
 *
 * So the rest of the program sees whole agents, as if each had been written in full. Sections are merged key by
 * key, at every depth; any other value of the agent replaces that of the defaults. A default that the agent's
 * own runtime cannot use is left out; one that would limit the agent stays, for the schema to refuse.
 */

import { isSection, valueAt } from "../base/text/yaml.ts"
import type { Problem } from "./problems.ts"
import { RUNTIMES } from "./runtimes.ts"

/** The agent of a configuration that lists none. */
const AGENT_BY_DEFAULT = "claude"

/** The same file with whole agents, and without `defaults`. A malformed part stays, for the schema to refuse. */
export function layDefaults(file: unknown): unknown {
  const parts = split(file)
  if (parts === undefined) return file
  const { agents, defaults, rest } = parts
  return { ...rest, agents: mapValues(agents, (agent) => fill(agent, usableBy(agent, defaults))) }
}

/**
 * Puts each mistake where a person corrects it. One that `defaults` have by themselves is reported once, there;
 * one that only both make together names both.
 *
 * @param check finds the mistakes in a file with whole agents.
 */
export function traceProblems(
  problems: readonly Problem[],
  file: unknown,
  check: (file: unknown) => readonly Problem[],
): readonly Problem[] {
  const parts = split(file)
  if (parts === undefined) return problems
  const { agents, defaults, rest } = parts
  const names = Object.keys(agents).sort((a, b) => b.length - a.length)
  const own = check({ ...rest, agents })
  const common = check({ ...rest, agents: mapValues(agents, () => defaults) })
  const traced = problems.map((problem): Problem => {
    const name = names.find((one) => problem.path.startsWith(`agents.${one}.`))
    if (name === undefined || own.some((one) => isSame(one, problem))) return problem
    const { path, message } = problem
    const key = path.slice(`agents.${name}.`.length)
    const at = `defaults.${key}`
    const isIn = (agent: unknown) => valueAt(agent, key.split(".")) !== undefined
    const isInDefaults = isIn(defaults) && !isIn(agents[name])
    const isCommon = names.every((one) =>
      common.some((other) => isSame(other, { path: `agents.${one}.${key}`, message })),
    )
    if (isCommon && isInDefaults) return { path: at, message }
    return {
      path,
      message: `${message} (${isInDefaults ? `from` : "with"} \`${isInDefaults ? at : "defaults"}\`)`,
    }
  })
  return traced.filter((one, at) => traced.findIndex((other) => isSame(one, other)) === at)
}

type Section = Readonly<Record<string, unknown>>

/** Undefined if there are no defaults to lay below any agent. */
function split(file: unknown) {
  if (!isSection(file) || !isSection(file["defaults"])) return undefined
  const { defaults, agents = {}, ...rest } = file
  if (!isSection(agents)) return undefined
  const isEmpty = Object.keys(agents).length === 0
  return { agents: isEmpty ? { [AGENT_BY_DEFAULT]: {} } : agents, defaults, rest }
}

/** `permissions` and `budget` are no such keys: without them the agent could do more than a person wants. */
function usableBy(agent: unknown, defaults: Section): Section {
  const runtime = isSection(agent) ? agent["runtime"] : undefined
  if (typeof runtime !== "string" || !Object.hasOwn(RUNTIMES, runtime)) return defaults
  const can = RUNTIMES[runtime as keyof typeof RUNTIMES]
  const unusable = [
    ...(can.model ? [] : ["model"]),
    ...(can.servers ? [] : ["mcp_servers"]),
    ...(runtime === "command" ? [] : ["resume"]),
    ...(runtime === "command" || runtime === "acp" ? [] : ["command"]),
  ]
  return Object.fromEntries(Object.entries(defaults).filter(([key]) => !unusable.includes(key)))
}

function fill(own: unknown, defaults: unknown): unknown {
  if (!isSection(own) || !isSection(defaults)) return own
  return {
    ...defaults,
    ...mapValues(own, (value, key) =>
      Object.hasOwn(defaults, key) ? fill(value, defaults[key]) : value,
    ),
  }
}

const mapValues = (section: Section, change: (value: unknown, key: string) => unknown): Section =>
  Object.fromEntries(Object.entries(section).map(([key, value]) => [key, change(value, key)]))

const isSame = (one: Problem, other: Problem) =>
  one.path === other.path && one.message === other.message
