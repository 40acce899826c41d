/** Finds configured repositories that are not where coppice.yml says they are. */
import { existsSync, realpathSync } from "node:fs"
import { resolve } from "node:path"
import type { Problem } from "../core/config/problems.ts"
import type { Config } from "../core/config.ts"
import type { Home } from "./home.ts"
import { lookUpRepository } from "./repository.ts"

/**
 * @returns one problem for each; none of those that are cloned when they are first needed, nor of
 *   the home itself where every agent has a folder of its own.
 */
export function findAbsent({ home }: Pick<Home, "home">, config: Config): readonly Problem[] {
  const { repos, agents } = config
  return repos.flatMap(({ name, path, clone }) => {
    if (path === "." && agents.every(({ workingDirectory }) => workingDirectory)) return []
    const folder = resolve(home, path)
    const isThere = existsSync(folder)
    if (isThere ? lookUpRepository(realpathSync(folder)) : clone) return []
    const message = isThere ? `is in no git repository: ${folder}` : `is not there: ${folder}`
    const agent = agents.find(({ workingDirectory }) => workingDirectory?.root === path)
    const key = agent ? `agents.${agent.name}.working_directory.root` : `repos.${name}.path`
    return [{ path: key, message }]
  })
}
