/**
 * Turns the working directories of agents into repositories.
 *
 * A folder in a repository that `repos` lists is that repository, with its gate and all other settings,
 * whatever its spelling. Any other folder becomes a repository under its own name. So does a folder that a
 * static agent works in as it is; it has the settings of the repository that it belongs to.
 */
import type { AgentConfig, Config, RepoConfig, WorkingDirectory } from "./config.ts"
import type { Problem } from "./problems.ts"
import { resolveConfig } from "./resolve.ts"
import { asWritten, type Locate, listContradictions, locateRepo } from "./same-repository.ts"
import { ConfigFile } from "./schema.ts"

type Joined =
  | { readonly kind: "ok"; readonly config: Config }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }

export function withWorkingDirectories(config: Config, locate: Locate): Joined {
  const problems = listContradictions(config.repos, locate)
  const repos = [...config.repos]
  const agents = config.agents.map((agent) => {
    if (!agent.workingDirectory) return agent
    const { at, joined } = join(agent, agent.workingDirectory, { repos, locate })
    if (typeof joined === "string") {
      problems.push({ path: `agents.${agent.name}.working_directory`, message: joined })
      return agent
    }
    repos.splice(at < 0 ? repos.length : at, 1, joined)
    return { ...agent, workingDirectory: { ...agent.workingDirectory, repo: joined.name } }
  })
  return problems.length > 0
    ? { kind: "invalid", problems }
    : { kind: "ok", config: { ...config, repos, agents } }
}

/** The repository for an agent's tasks that name none. */
export function repoOfAgent({ repos }: Config, agent: AgentConfig): RepoConfig | undefined {
  const { workingDirectory } = agent
  return workingDirectory ? repos.find(({ name }) => name === workingDirectory.repo) : repos[0]
}

type Known = { readonly repos: readonly RepoConfig[]; readonly locate: Locate }

/** @returns the repository and its place in the list; or the problem, if the two contradict each other. */
function join(
  { workspace }: AgentConfig,
  directory: WorkingDirectory,
  { repos, locate }: Known,
): { readonly at: number; readonly joined: RepoConfig | string } {
  const { root, defaultBranch, clone } = directory
  const here = locateRepo({ path: root, clone }, locate)
  const isHere = (one: RepoConfig) => locateRepo(one, locate).repository === here.repository
  const isStatic = workspace.strategy === "static"
  const fitting = repos.filter(
    (one) => isHere(one) && (!isStatic || locateRepo(one, locate).folder === here.folder),
  )
  const found = fitting.find(({ target }) => target && target === defaultBranch) ?? fitting[0]
  if (found) return { at: repos.indexOf(found), joined: agree(found, directory) }
  const added = newRepo(root, repos)
  const whole = repos.find(isHere)
  const joined = whole ? { ...whole, name: added.name, path: root, target: undefined } : added
  return { at: -1, joined: agree({ ...joined, clone: undefined }, directory) }
}

/** @returns the problem, if the two contradict each other. */
function agree(repo: RepoConfig, { defaultBranch, clone }: WorkingDirectory): RepoConfig | string {
  const { target = defaultBranch } = repo
  if (defaultBranch !== undefined && target !== defaultBranch)
    return `has another \`default_branch\` than the target of \`repos.${repo.name}\`, which is ${target}`
  const differs = clone && repo.clone && repo.clone.url !== clone.url
  if (differs) return "has another `auto_clone` than an agent before it in the same folder"
  return { ...repo, target, clone: repo.clone ?? clone }
}

function newRepo(root: string, others: readonly RepoConfig[]): RepoConfig {
  const isTaken = (name: string) => others.some((repo) => repo.name === name)
  const base = nameOf(root)
  let name = base
  for (let n = 2; isTaken(name); n++) name = `${base}-${n}`
  const file = { version: 1, repos: { [name]: { path: root } } }
  const [repo] = resolveConfig(ConfigFile.parse(file)).repos
  return repo as RepoConfig
}

/** The last folder of a path, as a name that takes part in paths and messages. */
function nameOf(root: string): string {
  const folder = asWritten(root).folder.split("/").at(-1) ?? ""
  return folder.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "repo"
}
