/** Findings about a valid configuration: repositories that are absent, placed files that git does not ignore. */
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { describePaths } from "../../../base/text/group-paths.ts"
import type { Config } from "../../../config/config.ts"
import type { Problem } from "../../../config/problems.ts"
import { askProgram } from "../ask-program.ts"
import type { Home } from "../home.ts"
import { lookUpRepository } from "../repository.ts"

/**
 * @returns one problem for each; none for those that are cloned when first needed, nor for the home
 *   itself if every agent has its own folder.
 */
export function findAbsent({ home }: Pick<Home, "home">, config: Config): readonly Problem[] {
  const { repos, agents } = config
  return repos.flatMap(({ name, path, clone }) => {
    if (path === "." && agents.every(({ workingDirectory }) => workingDirectory)) return []
    const folder = resolve(home, path)
    const message = whatIsWrong(folder, clone !== undefined)
    if (message === undefined) return []
    const agent = agents.find(({ workingDirectory }) => workingDirectory?.repo === name)
    const key = agent ? `agents.${agent.name}.working_directory.root` : `repos.${name}.path`
    return [{ path: key, message }]
  })
}

/** An empty folder counts as missing. */
function whatIsWrong(folder: string, isCloned: boolean): string | undefined {
  if (!existsSync(folder)) return isCloned ? undefined : `is not there: ${folder}`
  try {
    if (lookUpRepository(realpathSync(folder)) || (isCloned && isEmpty(folder))) return undefined
    return `is in no git repository: ${folder}`
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code}): ${folder}`
  }
}

const isEmpty = (path: string): boolean =>
  statSync(path).isDirectory() && readdirSync(path).length === 0

/** A file monitor is a program that the repository may name. */
const LIST = ["-c", "core.fsmonitor=false", "ls-files", "--others", "--exclude-standard", "-z"]

/** @returns one warning for each repository that has such files. */
export async function findExposed(
  { home }: Pick<Home, "home">,
  { repos }: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const warnings = repos.map(async ({ name, path, copy, link }) => {
    const patterns = [...copy, ...link].map((one) => `:(top,glob)${one.replace(/\/+$/, "")}`)
    const root = resolve(home, path)
    if (patterns.length === 0 || !existsSync(root)) return []
    const answer = await askProgram(["git", "-C", root, ...LIST, "--", ...patterns], env)
    const files = "said" in answer ? answer.said.split("\0").filter(Boolean) : []
    return files.length === 0 ? [] : [warning(name, files)]
  })
  return (await Promise.all(warnings)).flat()
}

const warning = (name: string, files: readonly string[]): string =>
  `repos.${name}: git does not ignore ${describePaths(files)}, which \`copy\` or \`link\` places. ` +
  "An agent's `git add -A` commits that, and Coppice refuses to land it: add it to .gitignore."
