/**
 * Finds the repository around a folder by looking at git's files, without starting git.
 *
 * Every command does this first, so it must be fast. It only identifies the repository; for every change
 * git itself decides.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { basename, dirname, join, resolve } from "node:path"
import type { FileText } from "../../base/text/file-text.ts"
import { fs } from "./node-builtins.ts"
import { readSmall } from "./read-small.ts"

export type FoundRepository = {
  /** The main worktree, or the git directory of a bare repository. */
  readonly repo: string
  /** The folder around `.git`, or a bare repository itself. */
  readonly root: string
  /** The worktree around the given folder; the root inside the git directory. */
  readonly worktree: string
  /** The common git directory. */
  readonly gitDir: string
}

/** @param cwd an absolute, real path. */
export function lookUpRepository(cwd: string): FoundRepository | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const found = repositoryAt(dir)
    if (found) return found
    if (dir === dirname(dir)) return undefined
  }
}

function repositoryAt(dir: string): FoundRepository | undefined {
  if (isGitDir(dir)) return fromGitDir(dir, undefined)
  const entry = fs.statSync(join(dir, ".git"), { throwIfNoEntry: false })
  if (entry?.isDirectory()) return fromGitDir(join(dir, ".git"), dir)
  if (!entry?.isFile()) return undefined

  const gitDir = readGitFile(join(dir, ".git"))
  if (gitDir === undefined) return undefined
  const commonDir = readCommonDir(gitDir)
  if (commonDir !== undefined) return fromGitDir(commonDir, dir)
  if (isBare(gitDir)) return fromGitDir(gitDir, dir)
  // A submodule, or a repository whose git directory lies elsewhere: this is its main worktree.
  return { repo: dir, root: dir, worktree: dir, gitDir }
}

/** @param worktree the worktree of the given folder; undefined inside the git directory itself. */
function fromGitDir(gitDir: string, worktree: string | undefined): FoundRepository {
  const root = isInsideRoot(gitDir) ? dirname(gitDir) : gitDir
  return { repo: isBare(gitDir) ? gitDir : root, root, worktree: worktree ?? root, gitDir }
}

/** Whether the folder around it is the repository's: `.git` there is this directory, or names it. */
function isInsideRoot(gitDir: string): boolean {
  if (basename(gitDir) === ".git") return true
  return isBare(gitDir) && readGitFile(join(dirname(gitDir), ".git")) === gitDir
}

/**
 * The worktree with the branch of a bare repository's own HEAD: it takes the place of a main worktree,
 * which such a repository lacks.
 *
 * @param root of the repository; undefined if it is not bare, or no worktree has that branch.
 */
export function findHeadWorktree(root: string): string | undefined {
  const found = repositoryAt(root)
  if (!found || found.root !== root || found.repo !== found.gitDir) return undefined
  const { gitDir } = found
  const head = readText(join(gitDir, "HEAD"))
  const entries = join(gitDir, "worktrees")
  const ids = fs.existsSync(entries) ? fs.readdirSync(entries).sort() : []
  const entry = ids
    .map((id) => join(entries, id))
    .find((dir) => readText(join(dir, "HEAD")) === head)
  const link = entry && readText(join(entry, "gitdir"))?.trim()
  if (!entry || !link) return undefined
  const file = resolve(entry, link)
  return readGitFile(file) === entry ? dirname(file) : undefined
}

function isGitDir(dir: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => fs.existsSync(join(dir, name)))
}

/** The last value counts. With `extensions.worktreeConfig` the main worktree has a second file. */
function isBare(gitDir: string): boolean {
  const shared = readText(join(gitDir, "config")) ?? ""
  const own = /^[ \t]*worktreeConfig\b/im.test(shared) && readText(join(gitDir, "config.worktree"))
  const found = [
    ...`${shared}\n${own || ""}`.matchAll(/^[ \t]*(?:\[core\][ \t]*)?bare[ \t]*(=.*)?$/gim),
  ]
  const [, value = "= true"] = found.at(-1) ?? ["", "="]
  return /^=\s*"?(true|yes|on|[1-9]\d*)"?\s*([#;].*)?$/i.test(value)
}

/** The git directory that a `.git` file names. */
function readGitFile(path: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readText(path) ?? "")?.[1]
  return named === undefined ? undefined : resolve(dirname(path), named.trim())
}

/** The git directory that a linked worktree's one belongs to. The daemon refuses any other that names one. */
function readCommonDir(gitDir: string): string | undefined {
  const named = readText(join(gitDir, "commondir"))?.trim()
  const common = named && resolve(gitDir, named)
  return common && dirname(gitDir) === join(common, "worktrees") ? common : undefined
}

function readText(path: string): FileText | undefined {
  try {
    return readSmall(path) as FileText
  } catch {
    return undefined // missing or unreadable: no information
  }
}
