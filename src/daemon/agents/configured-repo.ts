/** Finds the configuration of a task's repository. */
import { resolve } from "node:path"
import { locate } from "../../api/client/config/repository-places.ts"
import type { Config, RepoConfig } from "../../config/config.ts"
import { ConfigGoneError } from "../../kernel/tasks/rules/config-gone.ts"

/**
 * An entry for that repository, preferably the one with the task's name for it; else the entry of that
 * name, in case the folder has moved. It never falls back to another one or to the defaults, because an
 * announced gate must run.
 */
export function configuredRepo(
  home: string,
  { repos }: Pick<Config, "repos">,
  { name, path }: { readonly name: string; readonly path: string },
): RepoConfig {
  const named = repos.find((repo) => repo.name === name)
  if (named && repos.length === 1) return named
  const place = locate(path, false)
  const isHere = (repo: RepoConfig) =>
    locate(resolve(home, repo.path), repo.clone !== undefined).repository === place.repository
  const found = named && isHere(named) ? named : (repos.find(isHere) ?? named)
  if (!found) throw new ConfigGoneError("repos", name)
  return found
}
