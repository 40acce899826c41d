/** Reads the files of a user's folder as a tree: writes objects, and nothing else. */
import type { GitPath, Oid } from "../../base/ids.ts"
import { listChanges } from "../git/ask/diff-tree.ts"
import { readStatus } from "../git/ask/status.ts"
import { addPaths } from "../git/change/add.ts"
import { onIndexCopy } from "../git/change/index-copy.ts"
import { writeTree } from "../git/change/write-tree.ts"
import { refuseTooMuch } from "./rescue/rescue-bounds.ts"

/**
 * Tracked and untracked files as they are now, without ignored ones. Nested repositories are left
 * out.
 *
 * @param folder the root of a repository or of a worktree.
 * @throws {WorkspaceError} `workspace.rescue_too_large` (world)
 */
export async function readFolderState(folder: string): Promise<Oid> {
  const { unstaged, unmerged, untracked } = await readStatus(folder, { isUsers: true })
  const paths = [...unstaged, ...unmerged, ...untracked].filter((path) => !path.endsWith("/"))
  await refuseTooMuch(folder, paths, "a record of its files")
  return await onIndexCopy(folder, async (indexFile) => {
    if (paths.length > 0) await addPaths(folder, paths, { indexFile, modes: {} })
    return await writeTree(folder, { indexFile })
  })
}

/** The paths that differ from the earlier state. */
export async function listFolderChanges(folder: string, before: Oid): Promise<readonly GitPath[]> {
  const now = await readFolderState(folder)
  if (now === before) return []
  return (await listChanges(folder, before, now)).map(({ path }) => path)
}
