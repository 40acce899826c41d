/**
 * Finds the home: the folder that a fleet belongs to.
 *
 * It is the nearest folder with coppice.yml up to the repository's root, else that root. What lies
 * above a repository is used only where a person names it. Inside a linked worktree we look at the
 * same place of the main one, so that an agent's copy of coppice.yml never makes a home of its own.
 * A home must be the user's own, as git asks of repositories (ownership.ts).
 */
import { dirname, join, relative, resolve } from "node:path"
import { fs } from "./builtins.ts"
import { HomeNotFoundError } from "./errors.ts"
import { refuseForeign } from "./ownership.ts"
import { lookUpRepository } from "./repository.ts"

export const CONFIG_FILE = "coppice.yml"

export type Home = {
  /** Real path of the folder. */
  readonly home: string
  /** Main worktree, or bare directory, of the repository around; null where there is none. */
  readonly repo: string | null
  /** The coppice.yml of the home; null where the defaults hold. */
  readonly configPath: string | null
}

export type HomeOptions = {
  /** A folder to look from instead of `cwd`: `--home`. */
  readonly home?: string | undefined
  /** Only COPPICE_HOME counts; `home` goes before it. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** @throws HomeNotFoundError where there is neither coppice.yml nor a repository. */
export function findHome(cwd: string, { home, env = {} }: HomeOptions = {}): Home {
  const start = realFolder(resolve(cwd, home ?? (env["COPPICE_HOME"] || ".")))
  const found = lookUpRepository(start)
  const from = found ? join(found.root, relative(found.worktree, start)) : start

  const repo = found?.repo ?? null
  const configured = folderWithConfig(from, found?.root ?? start)
  const folder = configured ?? found?.root
  if (folder === undefined)
    throw new HomeNotFoundError(`${start} is in no git repository, and holds no ${CONFIG_FILE}.`)
  const configPath = configured === undefined ? null : join(configured, CONFIG_FILE)
  refuseForeign([folder, configPath, found?.worktree, found?.root, repo && gitDirOf(repo)], env)
  return { home: folder, repo, configPath }
}

function folderWithConfig(from: string, last: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    if (fs.existsSync(join(dir, CONFIG_FILE))) return dir
    if (dir === last || dir === dirname(dir)) return undefined
  }
}

function gitDirOf(repo: string): string {
  const inside = join(repo, ".git")
  return fs.existsSync(inside) ? inside : repo
}

function realFolder(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    throw new HomeNotFoundError(`There is no folder ${path}.`)
  }
}
