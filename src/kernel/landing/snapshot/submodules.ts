/**
 * Finds commits of submodules that their remotes are not known to have.
 *
 * Does not use the network. A commit made on this machine is in the submodule's own folder, or
 * where git keeps the submodules of a repository and its worktrees. A commit that is in none of
 * them comes from elsewhere, and we know no more about it.
 */
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { listChanges } from "../../git/ask/diff-tree.ts"
import { readSubmoduleNames } from "../../git/ask/gitmodules.ts"
import { hasUnpushed, lookAtCommit } from "../../git/ask/rev-list.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import { joinBytes } from "../../git/start/git-path.ts"

const SUBMODULE = "160000"

export type WorkRange = {
  /** The repository, or any worktree of it. */
  readonly repo: string
  /** Where the work lies on disk, if anywhere. */
  readonly worktree: string | undefined
  readonly base: Oid
  readonly head: Oid
}

/** Submodules that the work moved, and nested repositories that were committed as if they were. */
export async function findUnpushedSubmodules(range: WorkRange): Promise<GitPath[]> {
  const { repo, worktree, base, head } = range
  const changes = base === head ? [] : await listChanges(repo, base, head)
  const unpushed: GitPath[] = []
  for (const { path, newMode, newOid } of changes) {
    if (newMode !== SUBMODULE) continue
    const folder = worktree && joinBytes(worktree, path).toString("utf8")
    const isHere = folder !== undefined && existsSync(`${folder}/.git`)
    const isOnlyHere = isHere ? await hasUnpushed(folder) : await isUnpushed(range, path, newOid)
    if (isOnlyHere) unpushed.push(path)
  }
  return unpushed
}

/** Some repository of the submodule has the commit, and none knows it from its remote. */
async function isUnpushed({ repo, head }: WorkRange, path: GitPath, commit: Oid): Promise<boolean> {
  const name = (await readSubmoduleNames(repo, head)).get(path)
  const looks = (await listClones(repo, path, name)).map((clone) => lookAtCommit(clone, commit))
  const known = await Promise.all(looks)
  return known.includes("unpushed") && !known.includes("pushed")
}

/** Git's folders of the submodule's repositories: of the main worktree, of linked ones, and its own. */
async function listClones(
  repo: string,
  path: GitPath,
  name: string | undefined,
): Promise<readonly string[]> {
  const common = commonDirOf(await gitDir(repo))
  const kept = ["modules", ...globSync("worktrees/*/modules", { cwd: common })]
  const named = name === undefined ? [] : kept.map((folder) => join(common, folder, name))
  const worktrees = (await listWorktrees(repo)).filter(({ bare, prunable }) => !bare && !prunable)
  const own = worktrees.map((one) => findGitDir(joinBytes(one.path, path).toString("utf8")))
  const all = [...named, ...own.filter((dir) => dir !== undefined)]
  return [...new Set(all)].filter((dir) => existsSync(join(dir, "HEAD")))
}
