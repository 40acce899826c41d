/** Finds the repository of a task and the branch that its work lands on. */
import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { resolve } from "node:path"
import { branchOf, branchRef, type Oid } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { RepoConfig } from "../../../config/config.ts"
import { DaemonError } from "../../errors.ts"
import { readHead } from "../../git/ask/head.ts"
import { findRenamed } from "../../git/ask/reflog.ts"
import { originHead } from "../../git/ask/remote.ts"
import { findIgnored, findRepository } from "../../git/ask/repository.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { findGitDir } from "../../git/start/git-dir.ts"

export type TaskTarget = {
  readonly name: string
  /** Main worktree, or bare directory; real path. */
  readonly path: string
  readonly target: string
  readonly commit: Oid
}

/**
 * @param wanted branch name that overrides the configuration.
 * @throws {DaemonError} `repo.not_git`, `repo.no_commits`, `repo.target_missing` (user).
 */
export async function findTarget(
  home: string,
  repo: RepoConfig,
  wanted?: string,
): Promise<TaskTarget> {
  const path = resolve(home, repo.path)
  if (!existsSync(path))
    throw new DaemonError(
      "repo.not_git",
      `The folder of \`repos.${repo.name}\` is missing: ${path}.`,
      [`Put it back, or set \`repos.${repo.name}.path\` in coppice.yml to another folder.`],
    )
  const repository = await findRepository(path)
  if (!repository)
    throw new DaemonError("repo.not_git", `${path} is not a git repository.`, [
      "`git init` makes it one.",
      `Or set \`repos.${repo.name}.path\` in coppice.yml to another folder.`,
    ])
  const { root } = repository
  const ignored = await findIgnored(path, repository)
  if (ignored !== undefined)
    throw new DaemonError("repo.not_git", `${ignored} is broken: git takes ${root} in its place.`, [
      "Repair or remove what git ignores there.",
      `Or set \`repos.${repo.name}.path\` in coppice.yml to another folder.`,
    ])
  const named = wanted ?? repo.target
  const { target, commit } = named
    ? { target: named, commit: await readCommit(root, branchRef(named)) }
    : await guessTarget(root)
  if (commit) return { name: repo.name, path: root, target, commit }
  if (named === undefined)
    throw new DaemonError("repo.no_commits", `${root} has no commits yet on ${target}.`, [
      "Make a first commit: `git add --all && git commit -m first`.",
    ])
  const renamed = await findRenamed(root, branchRef(target))
  const now = renamed && branchOf(renamed)
  const was = now === undefined ? "" : ` It was renamed to ${now}.`
  const setting = `repos.${repo.name}.target ${now === undefined ? "<branch>" : shellWord(now)}`
  throw new DaemonError("repo.target_missing", `${root} has no branch ${target}.${was}`, [
    wanted === undefined
      ? `\`coppice config set ${setting}\` sets the branch that work lands on.`
      : "`--target` takes a branch that exists; `git branch` lists them.",
  ])
}

/**
 * The branch of origin/HEAD if it exists locally, else main, else master, else the one checked out.
 */
async function guessTarget(root: string): Promise<{ target: string; commit: Oid | undefined }> {
  const remote = (await originHead(root))?.replace("refs/remotes/origin/", "")
  const candidates = [remote, "main", "master"]
  for (const target of candidates) {
    const commit = target && (await readCommit(root, branchRef(target)))
    if (target && commit) return { target, commit }
  }
  const head = await readHead(root)
  if (head.kind === "branch") return { target: branchOf(head.ref), commit: head.commit }
  return { target: "main", commit: undefined }
}

/**
 * The folder of a static agent: the root of a repository or worktree, and the branch that is
 * checked out there.
 *
 * @throws {DaemonError} `repo.not_git`, `repo.no_commits` (user).
 */
export async function findFolder(home: string, repo: RepoConfig): Promise<TaskTarget> {
  const named = resolve(home, repo.path)
  const path = existsSync(named) ? await realpath(named) : named
  if (!findGitDir(path))
    throw new DaemonError("repo.not_git", `${path} is not the root of a repository or worktree.`, [
      "`git init` makes it one; Coppice can then tell what an agent changed there.",
      "Or set `working_directory.root` of the agent in coppice.yml to another folder.",
    ])
  const head = await readHead(path)
  if (!head.commit)
    throw new DaemonError("repo.no_commits", `${path} has no commits yet.`, [
      "Make a first commit: `git add --all && git commit -m first`.",
    ])
  const target = head.kind === "branch" ? branchOf(head.ref) : (repo.target ?? "HEAD")
  return { name: repo.name, path, target, commit: head.commit }
}
