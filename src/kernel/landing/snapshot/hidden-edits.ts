/**
 * Keeps a person's hidden edits out of what lands: `skip-worktree` and `assume-unchanged`.
 *
 * A person hides an edit from git to keep it local. We rescue it and restore the file from the
 * index, so that a gate in this worktree tests exactly the work that lands. Git's bits stay until the file is
 * restored, so after a crash the same edits are found again. The hidden edits of an agent are its work:
 * a snapshot calls this for tasks without an agent alone.
 */
import type { GitPath } from "../../../base/ids.ts"
import { listHidden } from "../../git/ask/ls-files.ts"
import { readStatus } from "../../git/ask/status.ts"
import { checkoutIndex } from "../../git/change/checkout-index.ts"
import { onIndexCopy } from "../../git/change/index-copy.ts"
import { revealPresent } from "../../git/change/reveal-files.ts"
import { rescueFiles } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { ownerOf, type Refs, type Rows, type Step } from "../action.ts"

export async function putHiddenAside(step: Step<Rows & Refs>, worktree: string): Promise<void> {
  const hidden = new Set(await listHidden(worktree))
  if (hidden.size === 0) return
  await onIndexCopy(worktree, async (indexFile) => {
    await revealPresent(worktree, { indexFile })
    const { unstaged } = await readStatus(worktree, { indexFile })
    const edited: readonly GitPath[] = unstaged.filter((path) => hidden.has(path))
    if (edited.length === 0) return
    const reason = "landing left out edits hidden from git"
    recordRescued(step.context, step.task.id, [
      await rescueFiles(worktree, edited, { owner: ownerOf(step), reason }),
    ])
    await step.context.world.point("snapshotting: hidden edits saved")
    await checkoutIndex(worktree, edited, { indexFile })
  })
}
