/** The folder with a repository's worktrees. Pure. */
import { basename, isAbsolute, relative, resolve } from "node:path"

export type WorktreesPlace = {
  /** Main worktree, or bare directory. */
  readonly repo: string
  readonly repoName: string
  /** Absolute, or relative to the repository; `<repo>` stands for the repository's name. */
  readonly worktreeDir: string
}

/**
 * The folder that holds all worktrees of a repository, e.g. `/src/app.worktrees` for `/src/app`.
 */
export function worktreesFolder({ repo, repoName, worktreeDir }: WorktreesPlace): string {
  const name = basename(repoName, ".git").replace(/^\.+$/, "") || basename(repo, ".git")
  return resolve(repo, worktreeDir.replaceAll("<repo>", name))
}

/** `path` relative to `folder`, `/`-separated, or undefined when it does not lie inside it. */
export function pathInside(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  if (inside === "" || inside === ".." || inside.startsWith("../") || isAbsolute(inside))
    return undefined
  return inside
}
