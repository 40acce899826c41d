/**
 * Compares the files of a worktree with a commit, by content.
 *
 * An index remembers times and sizes, which any process with access to the worktree can forge. So
 * git reads each file again, against a fresh index of ours. Never writes in the worktree.
 */
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { indexEnv } from "../start/environment.ts"
import { type GitOptions, git, stdoutText } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { pathspec } from "../start/pathspec.ts"
import { readDiffering } from "./as-written.ts"
import { trueModes } from "./true-modes.ts"
import { assertOwnGitDir } from "./worktree-of.ts"

const DIFF_FILES = ["diff-files", "--ignore-submodules=all"]

/**
 * @param cwd root of a worktree of an agent's, or of ours.
 * @param except globs of paths to leave out, as in git's pathspecs; a folder is everything in it.
 * @returns tracked files alone, and no submodules.
 * @throws {NoWorktreeError}
 */
export async function listDifferingFiles(
  cwd: string,
  commit: Oid,
  except: readonly string[] = [],
): Promise<readonly GitPath[]> {
  return await onIndexOf(cwd, commit, async (options) => {
    await git(cwd, ["update-index", "-q", "--refresh"], { ...options, answers: [0, 1] })
    return (await readDiffering(cwd, allBut(except), options)).edited
  })
}

/** Files that the commit does not have and git does not ignore. Parameters like its neighbour's. */
export async function listNewFiles(
  cwd: string,
  commit: Oid,
  except: readonly string[] = [],
): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard", "--", ...allBut(except)]
  return await onIndexOf(
    cwd,
    commit,
    async (options) => splitZ((await git(cwd, args, options)).stdout) as GitPath[],
  )
}

/** Well below every system's limit of a command line. */
const PATHS_SHOWN_MAX = 100
const PATCH = ["--patch", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"]
const PREFIXES = ["--src-prefix=a/", "--dst-prefix=b/"]

/** A patch from the commit to the first of these files, new ones included; its first bytes. */
export async function readDifference(
  cwd: string,
  commit: Oid,
  { paths, bytesMax }: { readonly paths: readonly GitPath[]; readonly bytesMax: number },
): Promise<string> {
  const specs = paths.filter((path) => !path.endsWith("/")).map(pathspec)
  if (specs.length === 0) return "" // git takes none for all
  return await onIndexOf(cwd, commit, async (options) => {
    const shown = ["--", ...specs.slice(0, PATHS_SHOWN_MAX)]
    await git(cwd, ["update-index", "-q", "--refresh"], { ...options, answers: [0, 1] })
    const others = splitZ(
      (await git(cwd, ["ls-files", "-z", "--others", ...shown], options)).stdout,
    )
    const added = others.map((path) => pathspec(path as GitPath))
    const add = ["add", "--intent-to-add", "--force", "--", ...added]
    if (added.length > 0) await git(cwd, add, { ...options, answers: [0, 1, 128] })
    const args = [...DIFF_FILES, ...PATCH, ...PREFIXES, ...shown]
    return stdoutText(await git(cwd, args, { ...options, cutAtBytes: bytesMax }))
  })
}

const allBut = (globs: readonly string[]): string[] => [
  ":(top)",
  ...globs.map((glob) => `:(top,exclude,glob)${glob.replace(/\/+$/, "")}`),
]

/** Asks with an index of ours that has the commit's files, and knows no times. */
async function onIndexOf<T>(
  cwd: string,
  commit: Oid,
  ask: (options: GitOptions) => Promise<T>,
): Promise<T> {
  assertOwnGitDir(cwd)
  using scratch = makeScratch()
  const settings = { ...(await trueModes(cwd)), "core.sparseCheckout": "false" }
  const options = { env: indexEnv(join(scratch.path, "index")), settings }
  await git(cwd, ["read-tree", commit], options)
  return await ask(options)
}

/** For a worktree without its files. @param gitDir its own. True if git cannot tell. */
export async function isIndexChanged(cwd: string, gitDir: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "HEAD", "--"]
  const { exitCode } = await git(cwd, args, { env: { GIT_DIR: gitDir }, answers: [0, 1, 128] })
  return exitCode !== 0
}
