/** Identifies a repository, so that a running git is not asked about another one in its place. */
import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"

/**
 * `folder`: where to start a git for all its worktrees. `gitDir`: the directory that they share.
 */
export type RepositoryId = { readonly id: string; readonly folder: string; readonly gitDir: string }

/** Files that git reads only when it starts. */
const READ_AT_START = ["config", "objects/info/alternates"]

/**
 * By inode and birth time: another repository may replace this one in the same place.
 *
 * @returns undefined if `cwd` is not the root of a usual worktree.
 */
export function repositoryId(cwd: string): RepositoryId | undefined {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return undefined
  const common = commonDirOf(gitDir)
  const found = statSync(common, { throwIfNoEntry: false })
  if (!found) return undefined // it has just gone
  const { ino, birthtimeMs } = found
  const changes = READ_AT_START.map((name) => changedAt(join(common, name)))
  const folder = basename(common) === ".git" ? dirname(common) : common
  return { id: [common, ino, birthtimeMs, ...changes].join("\0"), folder, gitDir: common }
}

function changedAt(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found ? `${found.ino} ${found.mtimeMs}` : ""
}
