/** Removes what a killed set-up left, by steps that fail where anything is in it. */
import { readdir, rm, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { removeWorktree } from "../../git/worktrees/worktree-remove.ts"
import { findPlain } from "../../process/plain-file.ts"
import { readRepository } from "../git-worktree/context.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { isHalfMade, type SurveyedWorktree, type SurveyRequest } from "./survey.ts"

/** @returns whether it is gone. */
export async function removeHalfMade(
  request: Pick<SurveyRequest, "folders" | "nowMs">,
  { repo, path }: Pick<SurveyedWorktree, "repo" | "path">,
): Promise<boolean> {
  const { commonDir } = await readRepository(repo)
  return await withRepoLock(commonDir, async () => {
    const entry = (await listWorktrees(repo)).find((worktree) => worktree.path === path)
    if (!entry?.gitDir) return true
    if (!(await isHalfMade(request, entry, entry.gitDir))) return false
    if (!(await removeEmptyFolder(path))) return false
    await removeWorktree(repo, path) // of which git alone knows now
    return true
  })
}

/** A folder that holds nothing, or only the link to its repository. @returns whether it is gone. */
async function removeEmptyFolder(path: string): Promise<boolean> {
  const link = join(path, ".git")
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  if (names.some((name) => name !== ".git")) return false
  const said = findPlain(link)
  if (said !== undefined) await rm(link)
  try {
    await rmdir(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true
    if (said !== undefined) await writeFile(link, said, { flag: "wx" })
    return false
  }
}
