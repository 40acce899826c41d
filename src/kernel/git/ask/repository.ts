/** Which repository a folder belongs to. */
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { shellWord } from "../../../base/text/shell-word.ts"
import { GitUnusableError } from "../start/errors.ts"
import { git } from "../start/exec.ts"
import { commonDirOf, findGitDir } from "../start/git-dir.ts"
import { readGitVersion } from "../start/version.ts"
import { isOn, listConfig } from "./config.ts"
import { askPaths } from "./rev-parse.ts"

export type Repository = {
  /** Real path of the main worktree, or of the bare directory. */
  readonly root: string
  /** Real path of the git directory that all worktrees share. */
  readonly commonDir: string
  readonly bare: boolean
}

const QUESTIONS = [
  ["--absolute-git-dir"],
  ["--show-toplevel"], // last: in a bare repository, or inside .git, git stops here
]

/**
 * Lets git find a bare repository from any folder in it. {@link assertOwnPlace} refuses unsafe
 * ones.
 */
const FIND_BARE = { "safe.bareRepository": "all" }

/**
 * The repository of `cwd`, which may lie in any of its worktrees; undefined when there is none.
 *
 * @throws {GitUnusableError} if git is missing or too old, or refuses the repository, e.g. because
 *   another user owns it.
 */
export async function findRepository(cwd: string): Promise<Repository | undefined> {
  await readGitVersion() // each use of a repository begins here, so an old git fails early
  const result = await askPaths(cwd, QUESTIONS, { answers: [0, 128], settings: FIND_BARE })
  const [own, toplevel] = result.paths
  if (!own) {
    const root = lookUp(resolve(cwd))
    if (root === undefined) return undefined
    throw refused(root, result.stderr.trim().split("\n")[0] ?? "")
  }
  const gitDir = await realpath(own)
  const commonDir = commonDirOf(gitDir)
  const inMain = toplevel !== undefined && gitDir === commonDir
  const { root, bare } = inMain ? { root: toplevel, bare: false } : await mainWorktree(commonDir)
  const found = { root: await realpath(root), commonDir, bare }
  await assertOwnPlace(found)
  return found
}

/**
 * A folder around `cwd` that looks like a repository, but is broken: git takes the repository around it, which
 * may have another gate in coppice.yml.
 */
export async function findIgnored(
  cwd: string,
  { commonDir }: Repository,
): Promise<string | undefined> {
  const seeming = lookUp(await realpath(cwd))
  if (seeming === undefined) return undefined
  return commonDirOf(findGitDir(seeming) ?? seeming) === commonDir ? undefined : seeming
}

/** Where the main worktree is, as seen from the shared git directory. */
async function mainWorktree(commonDir: string): Promise<{ root: string; bare: boolean }> {
  const env = { GIT_DIR: commonDir } // git might refuse one that it finds itself (safe.bareRepository)
  const config = await listConfig(commonDir, "^core\\.(bare|worktree)$", env)
  const last = (key: string) => config.findLast((entry) => entry.key === key)?.value
  if (isOn(config, "core.bare")) return { root: commonDir, bare: true }
  const worktree = last("core.worktree")
  if (worktree !== undefined) return { root: resolve(commonDir, worktree), bare: false }
  const isUsual = basename(commonDir) === ".git"
  return { root: isUsual ? dirname(commonDir) : commonDir, bare: !isUsual }
}

/**
 * Refuses a bare repository among the tracked files of another, because it came with a clone, as
 * did its configuration. Also refuses a main worktree that does not belong to the repository: an
 * agent may have configured it.
 */
async function assertOwnPlace({ root, commonDir, bare }: Repository): Promise<void> {
  if (!bare && findGitDir(root) !== commonDir)
    throw refused(root, `its configuration (${commonDir}/config) names it the worktree`)
  const outer = bare ? findOuter(root, commonDir) : undefined
  const args = ["ls-files", "-z", "--", join(root, "HEAD")]
  if (outer !== undefined && (await git(outer, args)).stdout !== "")
    throw refused(root, `it is bare, and a file of the repository ${outer}`)
}

/** The worktree of another repository that the folder lies in. */
function findOuter(folder: string, commonDir: string): string | undefined {
  const parent = dirname(folder)
  if (parent === folder) return undefined
  const gitDir = findGitDir(parent)
  if (gitDir === undefined) return findOuter(parent, commonDir)
  return commonDirOf(gitDir) === commonDir ? undefined : parent
}

function refused(root: string, said: string): GitUnusableError {
  const message = `git does not use the repository ${root}: ${said}`
  const hints = [
    `\`git -C ${shellWord(root)} status\` says the same until it is put right.`,
    `One of another user that you trust: \`git config --global --add safe.directory ${shellWord(root)}\`.`,
  ]
  return new GitUnusableError("git.repository_refused", message, { hints })
}

/** Where a repository seems to be, as its files have it. */
function lookUp(folder: string): string | undefined {
  const isBare = ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)))
  if (isBare || existsSync(join(folder, ".git"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : lookUp(parent)
}
