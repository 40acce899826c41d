/** Finds configured repositories that are not where coppice.yml says they are. */
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { Problem } from "../core/config/problems.ts"
import type { Config } from "../core/config.ts"
import type { Home } from "./home.ts"
import { lookUpRepository } from "./repository.ts"

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
    const agent = agents.find(({ workingDirectory }) => workingDirectory?.root === path)
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
