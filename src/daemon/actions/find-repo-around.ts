/** Finds the repository of a new task by the folder that a person stands in. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { AgentConfig, Config } from "../../core/config.ts"
import { findRepository } from "../../git/ask/repository.ts"
import { DaemonError } from "../errors.ts"
import type { Home } from "../home.ts"

/**
 * @param cwd undefined: the agent's repository, else the first one.
 * @returns its name; nothing where the configuration leaves no choice.
 * @throws {DaemonError} `repo.unclear` (user) if the folder is in none of several repositories.
 */
export async function findRepoAround(
  { home }: Pick<Home, "home">,
  { config: { repos }, agent }: { readonly config: Config; readonly agent: AgentConfig },
  cwd: string | undefined,
): Promise<readonly string[]> {
  if (cwd === undefined || agent.workingDirectory || repos.length < 2) return []
  const here = await rootOf(cwd)
  for (const { name, path } of repos)
    if (here !== undefined && (await rootOf(resolve(home, path))) === here) return [name]
  const names = repos.map(({ name }) => name)
  throw new DaemonError(
    "repo.unclear",
    `Which repository is the task for: ${names.join(", ")}?`,
    names.map((name) => `\`--repo ${name}\``),
  )
}

const rootOf = async (folder: string): Promise<string | undefined> =>
  existsSync(folder) ? (await findRepository(folder))?.root : undefined
