/**
 * Writes a worktree as it is into a commit, with a temporary index.
 *
 * Files go in byte for byte: a clean filter or a line-end rule may drop content that cannot be
 * restored, and a failing filter must not keep work from being saved.
 */
import type { Oid } from "../../core/ids.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"
import { addRaw } from "../../git/change/add-raw.ts"
import { commitTree } from "../../git/change/commit-objects.ts"
import { onIndexCopy } from "../../git/change/index-copy.ts"
import { writeTree } from "../../git/change/write-tree.ts"
import { displayPath } from "../../git/start/path.ts"
import { type Owner, whose } from "../task-refs.ts"
import type { UnsavedWork } from "./find-work.ts"

export type StateToCommit = {
  readonly head: Oid | undefined
  readonly work: UnsavedWork
  readonly task: Owner["task"]
  readonly reason: string
}

/** Paths named in the commit's message. */
const NAMED_MAX = 200

/** @returns a commit without a ref. */
export async function commitState(worktree: string, state: StateToCommit): Promise<Oid> {
  const { head, work } = state
  const { staged, tree } = await onIndexCopy(worktree, async (indexFile) => {
    const staged = work.isStaged ? await writeTree(worktree, { indexFile }) : undefined
    await addRaw(worktree, work.toRead, { indexFile })
    return { staged, tree: await writeTree(worktree, { indexFile }) }
  })

  const parents = head ? [head] : []
  const [headTree] = head ? await readTrees(worktree, [head]) : []
  if (staged && staged !== tree && staged !== headTree)
    parents.push(await commitTree(worktree, { tree: staged, parents, message: "index" }))
  return await commitTree(worktree, { tree, parents, message: message(state) })
}

function message({ task, reason, work }: StateToCommit): string {
  const names = work.changed.slice(0, NAMED_MAX).map(displayPath)
  const more = work.changed.length - names.length
  const list = more > 0 ? [...names, `… and ${more} more`] : names
  return `Work of ${whose({ task })}, saved before ${reason}\n\n${list.join("\n")}\n`
}
