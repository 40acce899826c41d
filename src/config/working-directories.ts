/**
 * Turns the working directories of agents into repositories.
 *
 * A folder that `repos` lists too is that repository, with its gate and all other settings. Any other
 * folder becomes a repository under its own name. Paths are compared as text: two paths of one folder
 * count as two repositories, which only a task that gets both can detect.
 */
import type { AgentConfig, Config, RepoConfig, WorkingDirectory } from "./config.ts"
import type { Problem } from "./problems.ts"
import { resolveConfig } from "./resolve.ts"
import { ConfigFile } from "./schema.ts"

type Joined =
  | { readonly kind: "ok"; readonly config: Config }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] }

export function withWorkingDirectories(config: Config): Joined {
  const problems: Problem[] = []
  const repos = [...config.repos]
  for (const { name, workingDirectory } of config.agents) {
    if (!workingDirectory) continue
    const at = repos.findIndex(({ path }) => plain(path) === plain(workingDirectory.root))
    const joined = join(repos[at] ?? newRepo(workingDirectory.root, repos), workingDirectory)
    if (typeof joined === "string")
      problems.push({ path: `agents.${name}.working_directory`, message: joined })
    else repos.splice(at < 0 ? repos.length : at, 1, joined)
  }
  return problems.length > 0
    ? { kind: "invalid", problems }
    : { kind: "ok", config: { ...config, repos } }
}

/** The repository for an agent's tasks that name none. */
export function repoOfAgent({ repos }: Config, agent: AgentConfig): RepoConfig | undefined {
  const root = agent.workingDirectory?.root
  if (root === undefined) return repos[0]
  return repos.find(({ path }) => plain(path) === plain(root))
}

/** @returns the problem, if the two contradict each other. */
function join(repo: RepoConfig, { defaultBranch, clone }: WorkingDirectory): RepoConfig | string {
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
  const folder = plain(root).split("/").at(-1) ?? ""
  return folder.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "repo"
}

/** `./app/` and `app` are the same. */
function plain(path: string): string {
  const steps: string[] = []
  for (const step of path.split("/")) {
    if (step === "" || step === ".") continue
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop()
    else steps.push(step)
  }
  return `${path.startsWith("/") ? "/" : ""}${steps.join("/")}`
}
