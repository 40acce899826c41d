/** `git check-ignore`: which paths match the patterns of a gitignore. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"

/** The paths that git ignores in the worktree at `cwd`; a folder's path ends in `/`. */
export async function listIgnoredOf(cwd: string, paths: readonly GitPath[]): Promise<GitPath[]> {
  return await ask(cwd, ["check-ignore"], paths)
}

/** A scratch repository that holds only ignore patterns. */
export type Patterns = {
  /** The paths that the patterns match; a folder's path ends in `/`. */
  match(paths: readonly GitPath[]): Promise<GitPath[]>
}

/**
 * Lets git match paths against patterns in gitignore syntax, and against nothing else.
 *
 * @param folder an empty folder. It is filled, and stays.
 */
export async function makePatterns(folder: string, patterns: Buffer): Promise<Patterns> {
  for (const name of ["git/objects", "git/refs", "git/info", "tree"])
    await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, "git", "HEAD"), "ref: refs/heads/main\n")
  await writeFile(join(folder, "git", "info", "exclude"), patterns)
  const tree = join(folder, "tree")
  const args = [`--git-dir=${join(folder, "git")}`, `--work-tree=${tree}`, "check-ignore"]
  return { match: async (paths) => await ask(tree, [...args, "--no-index"], paths) }
}

/** Exit code 1: none. */
async function ask(
  cwd: string,
  args: readonly string[],
  paths: readonly GitPath[],
): Promise<GitPath[]> {
  if (paths.length === 0) return []
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  const settings = args.includes("--no-index") ? { "core.excludesFile": "" } : {}
  const options = { stdin, settings, answers: [0, 1] }
  return splitZ((await git(cwd, [...args, "-z", "--stdin"], options)).stdout) as GitPath[]
}
