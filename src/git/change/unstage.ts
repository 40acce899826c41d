/** Resets paths of the index to a commit; files stay as they are. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { listTree } from "../ask/ls-tree.ts"
import { writeIndexInfo } from "./update-index.ts"

export async function unstage(
  worktree: string,
  commit: Oid,
  paths: readonly GitPath[],
  index: { readonly indexFile?: string } = {},
): Promise<void> {
  if (paths.length === 0) return
  const tree = new Map((await listTree(worktree, commit)).map((entry) => [entry.path, entry]))
  const none = { mode: "000000", oid: "0".repeat(commit.length) as Oid }
  await writeIndexInfo(
    worktree,
    paths.map((path) => ({ ...(tree.get(path) ?? none), path })),
    index,
  )
}
