/**
 * Finds the home: the folder that a fleet belongs to.
 *
 * It is the nearest folder with coppice.yml up to the repository's root, else that root. A folder
 * above a repository counts only if a person names it, or approved the repository as one of that
 * home's. Inside a linked worktree we use the same place of the main one, so that an agent's copy of
 * coppice.yml never makes a home of its own.
 * A home must be the user's own, as git asks of repositories (file-owner.ts).
 */
import { dirname, join, relative, resolve } from "node:path"
import { readTrust } from "../../features/trust/trust-record.ts"
import { HomeNotFoundError } from "./errors.ts"
import { refuseForeign } from "./file-owner.ts"
import { fs } from "./node-builtins.ts"
import { type FoundRepository, findHeadWorktree, lookUpRepository } from "./repository.ts"
import { databasePath, stateDirOf } from "./state-dir.ts"

export const CONFIG_FILE = "coppice.yml"
/** A person's own settings for one home: lies next to coppice.yml, and wins over it. */
export const LOCAL_CONFIG_FILE = "coppice.local.yml"

export type Home = {
  readonly home: string
  /** Main worktree, or bare directory, of the repository around; null without one. */
  readonly repo: string | null
  /** The coppice.yml of the home; null if the defaults apply. */
  readonly configPath: string | null
}

export type HomeOptions = {
  /** The folder to start from instead of `cwd`: `--home`. */
  readonly home?: string | undefined
  /** Only COPPICE_HOME counts; `home` has precedence. */
  readonly env?: Env
  /** False: only a named home counts, or the repository itself; none above it. */
  readonly above?: boolean
}

type Env = Readonly<Record<string, string | undefined>>

/** @throws HomeNotFoundError without a coppice.yml or repository. */
export function findHome(cwd: string, { home, env = {}, above = true }: HomeOptions = {}): Home {
  const named = home ?? (env["COPPICE_HOME"] || undefined)
  const start = realFolder(resolve(cwd, named ?? "."))
  const found = lookUpRepository(start)
  const from = found ? join(found.root, relative(found.worktree, start)) : start

  const repo = found?.repo ?? null
  const mayBeAbove = above && named === undefined
  const folder =
    folderWithConfig(from, found?.root ?? start) ??
    (found && mayBeAbove ? findHomeAbove(found, env) : undefined) ??
    found?.root
  if (folder === undefined)
    throw new HomeNotFoundError(`${start} is in no git repository, and holds no ${CONFIG_FILE}.`)
  const path = configPathOf(folder)
  const configPath = fs.existsSync(path) ? path : null
  const localPath = join(dirname(path), LOCAL_CONFIG_FILE)
  refuseForeign([folder, configPath, localPath], env)
  refuseForeign([found?.worktree, found?.root, repo && gitDirOf(repo)], env)
  return { home: folder, repo, configPath }
}

/**
 * The place of a home's coppice.yml: in the home. A bare repository has no checkout, so there the file
 * in its worktree on the branch of HEAD counts, unless one lies in the home itself.
 */
export function configPathOf(home: string): string {
  const path = join(home, CONFIG_FILE)
  if (fs.existsSync(path)) return path
  return join(findHeadWorktree(home) ?? home, CONFIG_FILE)
}

function folderWithConfig(from: string, last: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    if (fs.existsSync(join(dir, CONFIG_FILE))) return dir
    if (dir === last || dir === dirname(dir)) return undefined
  }
}

/**
 * The home above a repository that has the repository on record as its own. A repository that has
 * tasks of its own stays its own home.
 */
function findHomeAbove({ root, gitDir }: FoundRepository, env: Env): string | undefined {
  if (fs.existsSync(databasePath(stateDirOf(root, env)))) return undefined
  return listAbove(root)
    .filter((dir) => fs.existsSync(join(dir, CONFIG_FILE)))
    .find((dir) => gitDir in readTrust(stateDirOf(dir, env)).git)
}

/** The nearest folder above `home` that is the home of other tasks. */
export function findOuterHome(home: string, env: Env): string | undefined {
  return listAbove(home).find((dir) => fs.existsSync(databasePath(stateDirOf(dir, env))))
}

/**
 * The home above `home` that has a coppice.yml in the same repository, or that works in this repository. An
 * agent there may land a coppice.yml below it.
 */
export function findEnclosingHome(home: string, env: Env): string | undefined {
  const found = lookUpRepository(home)
  if (!found) return undefined
  const isInside = (dir: string) => `${dir}/`.startsWith(`${found.root}/`)
  const works = (dir: string) => found.gitDir in readTrust(stateDirOf(dir, env)).git
  return listAbove(home).find(
    (dir) => (isInside(dir) && fs.existsSync(join(dir, CONFIG_FILE))) || works(dir),
  )
}

/** The nearest first. */
function listAbove(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [] : [above, ...listAbove(above)]
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
