/** Finds the files that `copy` and `link` of the configuration name in the main worktree. */
import { glob } from "node:fs/promises"
import { isAbsolute, join, resolve } from "node:path"
import { WorkspaceError } from "../errors.ts"
import { pathInside } from "../worktrees-folder.ts"

/**
 * The paths relative to `root` that `pattern` matches, sorted; none inside another of them.
 *
 * Git's own folder and other tasks' worktrees (`worktrees`, absolute) are never searched.
 *
 * @throws {WorkspaceError} `workspace.path_refused` when the pattern leads out of `root`.
 */
export async function matchingPaths(
  root: string,
  pattern: string,
  worktrees: string,
): Promise<string[]> {
  if (isAbsolute(pattern) || pattern.split("/").includes("..")) throw refused(pattern)
  const exclude = (path: string) => isGits(path) || join(root, path) === worktrees
  const paths: string[] = []
  for await (const match of glob(pattern.replace(/\/+$/, ""), { cwd: root, exclude })) {
    const path = pathInside(root, resolve(root, match))
    if (path !== undefined && !exclude(path) && !pathInside(worktrees, join(root, path)))
      paths.push(path)
  }
  return outermost(paths)
}

const isGits = (path: string) => path === ".git" || path.startsWith(".git/")

function outermost(paths: readonly string[]): string[] {
  const found = new Set(paths)
  const isInsideAnother = (path: string) => {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      if (found.has(path.slice(0, at))) return true
    return false
  }
  return [...found].filter((path) => !isInsideAnother(path)).sort()
}

function refused(pattern: string): WorkspaceError {
  return new WorkspaceError(
    "workspace.path_refused",
    `"${pattern}" in copy or link leads out of the repository.`,
    ["List paths relative to the repository's root in `copy` and `link` of coppice.yml."],
  )
}
