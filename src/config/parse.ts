/**
 * Reads the text of coppice.yml: YAML, then its own `defaults`, then `${VAR}`, then the schema, then every
 * default of the program.
 *
 * Pure: the caller brings the text, the environment and the folder's name.
 */
import { assert } from "../base/assert.ts"
import { readYaml } from "../base/text/yaml.ts"
import type { Config } from "./config.ts"
import { layDefaults, traceProblems } from "./defaults.ts"
import { repoNameFrom } from "./key-names.ts"
import { type Problem, toProblems } from "./problems.ts"
import { withoutRepetitions } from "./repeated-keys.ts"
import { resolveConfig } from "./resolve.ts"
import { asWritten, type Locate } from "./same-repository.ts"
import { ConfigFile } from "./schema.ts"
import { type Env, substitute } from "./substitute.ts"
import { listTakenNames, listUnfitAgents } from "./unfit-agents.ts"
import { withWorkingDirectories } from "./working-directories.ts"

type Invalid = { readonly kind: "invalid"; readonly problems: readonly Problem[] }

export type ParsedConfig = { readonly kind: "ok"; readonly config: Config } | Invalid

/**
 * @param repoName names the one repository of a file that lists none: the home's folder name.
 * @param locate looks at the disk; without it, equal paths are equal texts.
 */
export function parseConfig(
  text: string,
  env: Env,
  repoName: string,
  locate: Locate = asWritten,
): ParsedConfig {
  const read = readYaml(text)
  if (read.kind === "invalid")
    return invalid(read.messages.map((message) => ({ path: "", message })))

  const check = (file: unknown): ParsedConfig => {
    const config = parseFile(file, env, repoName)
    return config.kind === "ok" ? withWorkingDirectories(config.config, locate) : config
  }
  const written = read.value ?? {}
  const parsed = check(layDefaults(written))
  if (parsed.kind === "ok") return parsed
  const listProblems = (file: unknown) => problemsOf(check(file))
  return invalid(traceProblems(parsed.problems, written, listProblems))
}

const problemsOf = (parsed: ParsedConfig) => (parsed.kind === "ok" ? [] : parsed.problems)

/** @param written with whole agents. */
function parseFile(written: unknown, env: Env, repoName: string): ParsedConfig {
  const problems: Problem[] = []
  const filled = withoutRepetitions(substitute(written, env, problems))
  if (problems.length > 0) return invalid(problems)

  const file = ConfigFile.safeParse(filled)
  if (!file.success) return invalid(toProblems(file.error, ConfigFile, written))
  const config = withDefaults(resolveConfig(file.data), repoName)
  const unfit = [...listUnfitAgents(config), ...listTakenNames(config)]
  return unfit.length > 0 ? invalid(unfit) : { kind: "ok", config }
}

/** The configuration without a file: this repository, one agent named `claude`. */
export function defaultConfig(repoName: string): Config {
  const parsed = parseConfig("version: 1", {}, repoName)
  assert(parsed.kind === "ok", "an empty configuration is valid")
  return parsed.config
}

/** A file without repositories means the one it lies in; without agents, the claude agent. */
function withDefaults(config: Config, repoName: string): Config {
  if (config.repos.length > 0 && config.agents.length > 0) return config
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
