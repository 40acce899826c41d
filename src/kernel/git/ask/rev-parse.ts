/** `git rev-parse`: resolves names to object ids, and finds where git keeps its files. */
import type { Oid } from "../../../base/ids.ts"
import { type GitOptions, git, stdoutText } from "../start/exec.ts"
import { findGitDir } from "../start/git-dir.ts"
import { askObjects, isSharedName } from "./object-reader.ts"

/**
 * The commit that `name` stands for, or undefined when there is no such commit.
 * A short name may mean a tag as well as a branch: pass full ref names.
 */
export async function readCommit(cwd: string, name: string): Promise<Oid | undefined> {
  const commit = `${name}^{commit}`
  if (isSharedName(commit)) return (await askObjects(cwd, [{ verb: "info", name: commit }]))[0]?.oid
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", commit]
  const { exitCode, stdout } = await git(cwd, args, { answers: [0, 1] })
  return exitCode === 0 ? (stdout.trim() as Oid) : undefined
}

/** The trees of commits that are known to exist, in the order asked. */
export async function readTrees(cwd: string, commits: readonly Oid[]): Promise<Oid[]> {
  const names = commits.map((commit) => ({ verb: "info", name: `${commit}^{tree}` }) as const)
  const trees = (await askObjects(cwd, names)).flatMap((found) => found?.oid ?? [])
  if (trees.length === commits.length) return trees
  // A partial clone may have to fetch a tree. If one is missing, git's error says why.
  const { stdout } = await git(cwd, ["rev-parse", ...names.map(({ name }) => name)])
  return stdout.split("\n").filter(Boolean) as Oid[]
}

/** The git directory of this worktree itself (HEAD, index, operations in progress), absolute. */
export async function gitDir(cwd: string): Promise<string> {
  const found = findGitDir(cwd)
  if (found !== undefined) return found
  return stdoutText(await git(cwd, ["rev-parse", "--absolute-git-dir"])).replace(/\n$/, "")
}

/** Where git keeps the files of these names (`HEAD.lock`, `refs/heads/main.lock`), absolute. */
export async function gitPaths(cwd: string, names: readonly string[]): Promise<string[]> {
  const questions = names.map((name) => ["--git-path", name])
  return (await askPaths(cwd, questions)).paths
}

/**
 * Separates the answers. rev-parse prints unknown options unchanged, so even paths with line breaks can
 * be told apart.
 */
const BETWEEN = "--coppice-next-path"

/** @param questions options that each make git print one path. @returns the printed paths, absolute. */
export async function askPaths(
  cwd: string,
  questions: readonly (readonly string[])[],
  options: Pick<GitOptions, "answers" | "settings"> = {},
): Promise<{ readonly paths: string[]; readonly stderr: string }> {
  const asked = questions.flatMap((question) => [...question, BETWEEN])
  const result = await git(cwd, ["rev-parse", "--path-format=absolute", ...asked], options)
  const answers = stdoutText(result).split(`\n${BETWEEN}\n`)
  return { paths: answers.filter(Boolean), stderr: result.stderr }
}
