/**
 * Keeps a worktrees folder out of the status and commits of the repository that it lies in.
 *
 * That is the task's own with `.worktrees`, and an outer one where the task's is a submodule or was
 * cloned into it: `git add -A` there would take the worktrees in.
 */
import { appendFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { pathInside } from "../worktrees-folder.ts"

/**
 * Adds the folder to `info/exclude`, once. Nothing else of this process runs in between.
 *
 * @param folder real path.
 * @param repo main worktree, or bare directory, which has no files to commit.
 */
export function excludeFolder(folder: string, repo: string): void {
  const around = findAround(dirname(folder))
  if (around === undefined || around.commonDir === repo) return
  const inside = pathInside(around.root, folder)
  if (inside === undefined) return
  const file = join(around.commonDir, "info", "exclude")
  const text = readPlainText(file) ?? ""
  const line = `/${inside.replace(/[\\*?[\] ]/g, "\\$&")}/`
  if (text.split("\n").includes(line)) return
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`)
}

type Around = { readonly root: string; readonly commonDir: string }

/** The innermost repository with a worktree that the folder lies in. */
function findAround(folder: string): Around | undefined {
  const dir = findGitDir(folder)
  if (dir !== undefined) return { root: folder, commonDir: commonDirOf(dir) }
  const above = dirname(folder)
  return above === folder ? undefined : findAround(above)
}
