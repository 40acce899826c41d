/** Writes a worktree as it is into a commit, by way of a temporary index. */
import { constants, copyFile, mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Oid, TaskId } from "../../core/ids.ts"
import { addPaths } from "../../git/add-paths.ts"
import { commitTree } from "../../git/commit-tree.ts"
import { displayPath } from "../../git/path.ts"
import { gitDir, readTree } from "../../git/rev-parse.ts"
import { writeTree } from "../../git/write-tree.ts"
import type { Work } from "./find-work.ts"

export type StateToCommit = {
  readonly head: Oid | undefined
  readonly work: Work
  readonly task: TaskId
  readonly reason: string
}

/** Paths named in the commit's message. */
const NAMED_MAX = 200

/** @returns a commit that no ref points at yet. */
export async function commitState(worktree: string, state: StateToCommit): Promise<Oid> {
  const { head, work } = state
  await using folder = await mkdtempDisposable(join(tmpdir(), "coppice-rescue-"))
  const indexFile = join(folder.path, "index")
  await copyIndex(join(await gitDir(worktree), "index"), indexFile)
  const staged = work.isStaged ? await writeTree(worktree, { indexFile }) : undefined
  await addPaths(worktree, work.toRead, { indexFile })
  const tree = await writeTree(worktree, { indexFile })

  const parents = head ? [head] : []
  const headTree = head && (await readTree(worktree, head))
  if (staged && staged !== tree && staged !== headTree)
    parents.push(await commitTree(worktree, { tree: staged, parents, message: "index" }))
  return await commitTree(worktree, { tree, parents, message: message(state) })
}

/** A worktree without an index has nothing staged: it is read as if everything were new. */
async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error
  })
}

function message({ task, reason, work }: StateToCommit): string {
  const names = work.changed.slice(0, NAMED_MAX).map(displayPath)
  const more = work.changed.length - names.length
  const list = more > 0 ? [...names, `… and ${more} more`] : names
  return `Work of task ${task}, saved before ${reason}\n\n${list.join("\n")}\n`
}
