/** Removes what `copy` and `link` put into a worktree: each task has it placed anew. */
import { lstat, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { deleteEntry } from "../../git/worktrees/trash.ts"

/** @param placed paths relative to the worktree. What lies behind a link that somebody made stays. */
export async function removePlaced(worktree: string, placed: readonly string[]): Promise<void> {
  const root = await realpath(worktree)
  for (const path of placed) {
    const entry = join(root, path)
    const isThere = await lstat(entry).then(
      () => true,
      () => false,
    )
    if (isThere && (await realpath(dirname(entry))) === dirname(entry))
      await deleteEntry(Buffer.from(entry))
  }
}
