/** Where a task's worktree lies. Pure: the path is a function of the task, so it stays the same. */
import { basename, isAbsolute, join, relative, resolve } from "node:path"
import { taskName } from "./slug.ts"

export type WorktreePlace = {
  /** Main worktree, or bare directory. */
  readonly repo: string
  readonly repoName: string
  /** Absolute, or relative to the repository; `<repo>` stands for the repository's name. */
  readonly worktreeDir: string
  readonly task: number
  readonly title: string
}

/** E.g. `/src/app.worktrees/7-fix-the-typo` for the repository `/src/app`. */
export function worktreePath({ task, title, ...place }: WorktreePlace): string {
  return join(worktreesFolder(place), taskName(task, title))
}

/** The folder that holds all worktrees of a repository. */
export function worktreesFolder(
  place: Pick<WorktreePlace, "repo" | "repoName" | "worktreeDir">,
): string {
  const name = basename(place.repoName, ".git").replace(/^\.+$/, "") || basename(place.repo, ".git")
  return resolve(place.repo, place.worktreeDir.replaceAll("<repo>", name))
}

/** `path` relative to `folder`, `/`-separated, or undefined when it does not lie inside it. */
export function pathInside(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  if (inside === "" || inside === ".." || inside.startsWith("../") || isAbsolute(inside))
    return undefined
  return inside
}
