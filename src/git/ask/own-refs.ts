/**
 * Lists commits of a linked worktree's HEAD and of its own refs. Git drops these refs with the
 * worktree.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { commonDirOf } from "../start/git-dir.ts"
import { areRefsFiles } from "./head-file.ts"

const PREFIXES = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"]

/**
 * The commits that HEAD and the worktree's own refs name, each once. Its folder need not be there.
 *
 * @param repo its repository. @param gitDir its own git directory.
 */
export async function listOwnCommits(repo: string, gitDir: string): Promise<Oid[]> {
  const env = { GIT_DIR: gitDir }
  const read = async (name: string) => {
    const args = ["rev-parse", "--quiet", "--verify", `${name}^{commit}`]
    const { exitCode, stdout } = await git(repo, args, { env, answers: [0, 1, 128] })
    return exitCode === 0 ? [stdout.trim() as Oid] : []
  }
  const commits = await Promise.all(["HEAD", ...(await listNames(repo, gitDir))].map(read))
  return [...new Set(commits.flat())]
}

/** If refs are files, which are never packed here, we ask git only if there are any. */
async function listNames(repo: string, gitDir: string): Promise<string[]> {
  const hasNone = PREFIXES.every((prefix) => !hasEntries(join(gitDir, prefix)))
  if (hasNone && areRefsFiles(commonDirOf(gitDir))) return []
  const args = ["for-each-ref", "--format=%(refname)", ...PREFIXES]
  const { stdout } = await git(repo, args, { env: { GIT_DIR: gitDir } })
  return stdout.split("\n").filter(Boolean)
}

const hasEntries = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0
