/** The repositories of a home: those in the configuration, and those of its tasks. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { findRepository } from "../../git/ask/repository.ts"
import type { Home } from "../../home.ts"
import { listRepoPaths } from "../rows/task-repos/list.ts"

/** @returns main worktrees, or bare directories; real paths. Missing ones are left out. */
export async function listRepositories({
  config,
  home,
  db,
}: Pick<Home, "config" | "home" | "db">): Promise<string[]> {
  const configured = config().repos.map(({ path }) => resolve(home, path))
  const paths = [...configured, ...listRepoPaths(db)].filter((path) => existsSync(path))
  const found = await Promise.all(paths.map((path) => findRepository(path)))
  return [...new Set(found.flatMap((repository) => repository?.root ?? []))]
}
