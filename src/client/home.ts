/**
 * Finds the home: the folder that a fleet belongs to.
 *
 * It is the nearest folder upwards with coppice.yml, else the root of the repository. Inside a
 * linked worktree the same place of the main one is looked at instead, so that an agent's copy of
 * coppice.yml never makes a home of its own.
 */
import { dirname, join, relative, resolve } from "node:path"
import { fs } from "./builtins.ts"
import { HomeNotFoundError } from "./errors.ts"
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
  const configured = folderWithConfig(from)
  if (configured !== undefined)
    return { home: configured, repo, configPath: join(configured, CONFIG_FILE) }
  if (!found)
    throw new HomeNotFoundError(`${start} is in no git repository, and no ${CONFIG_FILE} is above.`)
  return { home: found.root, repo, configPath: null }
}

function folderWithConfig(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    if (fs.existsSync(join(dir, CONFIG_FILE))) return dir
    if (dir === dirname(dir)) return undefined
  }
}

function realFolder(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    throw new HomeNotFoundError(`There is no folder ${path}.`)
  }
}
