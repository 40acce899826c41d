/**
 * Reads the text of coppice.yml: YAML, then `${VAR}`, then the schema, then every default.
 *
 * Pure: the caller brings the text, the environment and the folder's name.
 */
import { assert } from "../assert.ts"
import type { Config } from "../config.ts"
import { repoNameFrom } from "./names.ts"
import { type Problem, toProblems } from "./problems.ts"
import { resolveConfig } from "./resolve.ts"
import { ConfigFile } from "./schema.ts"
import { type Env, substitute } from "./substitute.ts"
import { withoutIdleKeys } from "./unsupported.ts"
import { withWorkingDirectories } from "./working-directories.ts"
import { readYaml } from "./yaml.ts"

type Invalid = { readonly kind: "invalid"; readonly problems: readonly Problem[] }

export type ParsedConfig = { readonly kind: "ok"; readonly config: Config } | Invalid

/** @param repoName names the one repository of a file that lists none: the home's folder name. */
export function parseConfig(text: string, env: Env, repoName: string): ParsedConfig {
  const read = readYaml(text)
  if (read.kind === "invalid")
    return invalid(read.messages.map((message) => ({ path: "", message })))

  const problems: Problem[] = []
  const filled = withoutIdleKeys(substitute(read.value ?? {}, env, problems))
  if (problems.length > 0) return invalid(problems)

  const file = ConfigFile.safeParse(filled)
  if (!file.success) return invalid(toProblems(file.error, ConfigFile, read.value))
  const config = withDefaults(resolveConfig(file.data), repoName)
  const unknown = listUnknownAgents(config)
  return unknown.length > 0 ? invalid(unknown) : withWorkingDirectories(config)
}

/** Sources and agents that name an agent that is not configured, or cannot do what they want of it. */
function listUnknownAgents({ agents, sources }: Config): Problem[] {
  const names = agents.map(({ name }) => name)
  const unknown = (path: string, agent: string | undefined): Problem[] =>
    agent === undefined || names.includes(agent)
      ? []
      : [{ path, message: `\`${agent}\` is not configured: there is ${names.join(", ")}` }]
  return [
    ...sources.flatMap(({ name, agent }) => unknown(`sources.${name}.agent`, agent)),
    ...agents.flatMap((agent) => {
      const { name, planner } = agent
      if (planner === undefined) return []
      const objection = findPlannerObjection(agents, agent)
      const path = `agents.${name}.plan.by`
      return objection ? [{ path, message: objection }] : unknown(path, planner)
    }),
    ...agents.flatMap(({ name, review }) =>
      (review?.of ?? []).flatMap((reviewer) => {
        const path = `agents.${name}.review`
        const objection = findObjection(agents, name, reviewer)
        return objection ? [{ path, message: objection }] : unknown(path, reviewer)
      }),
    ),
  ]
}

function findPlannerObjection(
  agents: Config["agents"],
  { name, planner, workspace }: Config["agents"][number],
): string | undefined {
  if (planner === name) return "names the agent itself: `plan: auto` or `approve` says that"
  const isContained = agents.some((one) => one.name === planner && one.containment.by !== "none")
  return isContained && workspace.strategy === "static"
    ? `\`${planner}\` is contained, which is not possible with \`strategy: static\``
    : undefined
}

function findObjection(
  agents: Config["agents"],
  author: string,
  reviewer: string,
): string | undefined {
  if (reviewer === author) return "names the agent itself: its own work needs another reviewer"
  const isStatic = agents.some(
    ({ name, workspace }) => name === reviewer && workspace.strategy === "static",
  )
  return isStatic
    ? `\`${reviewer}\` has \`strategy: static\`: a reviewer needs a worktree of its own`
    : undefined
}

/** The configuration without a file: this repository, one agent named `claude`. */
export function defaultConfig(repoName: string): Config {
  const parsed = parseConfig("version: 1", {}, repoName)
  assert(parsed.kind === "ok", "an empty configuration is valid")
  return parsed.config
}

/** A file without repositories means the one it lies in; without agents, the claude agent. */
function withDefaults(config: Config, repoName: string): Config {
  const fallback = resolveConfig(
    ConfigFile.parse({
      version: 1,
      repos: { [repoNameFrom(repoName)]: {} },
      agents: { claude: {} },
    }),
  )
  return {
    ...config,
    repos: config.repos.length > 0 ? config.repos : fallback.repos,
    agents: config.agents.length > 0 ? config.agents : fallback.agents,
  }
}

function invalid(problems: readonly Problem[]): Invalid {
  return { kind: "invalid", problems }
}
