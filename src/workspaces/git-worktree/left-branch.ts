/**
 * Removes the branch that a set-up made before it was cut short, where nothing else says whose it is.
 *
 * Its log says who made it, from the instant on at which it is there. As long as that is the latest
 * entry nobody has used it: it holds nothing, and no worktree stands on it.
 */
import { fnv1a } from "../../core/hash.ts"
import { branchOf, type RefName } from "../../core/ids.ts"
import { deleteBranch } from "../../git/refs/branches.ts"
import { listRefs } from "../../git/refs/for-each-ref.ts"
import { readReflog, readReflogs } from "../../git/refs/reflog.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import type { Owner } from "../task-refs.ts"
import { readRepository } from "./context.ts"

/** What the log of such a branch says. */
export const madeFor = ({ home, task }: Owner): string =>
  `coppice: made for task ${task} of home ${fnv1a(home)}`

/** Whether a set-up made the branch for the task, and nobody has moved it since. */
export async function isMadeFor(repo: string, ref: RefName, owner: Owner): Promise<boolean> {
  const [latest] = await readReflog(repo, ref)
  return latest?.reason === madeFor(owner)
}

export async function removeLeftBranch(repo: string, owner: Owner): Promise<void> {
  const { root, commonDir } = await readRepository(repo)
  await withRepoLock(commonDir, async () => {
    const logs = await readReflogs(root, "refs/heads/")
    const made = [...logs].filter(([, { reason }]) => reason === madeFor(owner))
    if (made.length === 0) return
    const used = new Set((await listWorktrees(root)).map(({ branch }) => branch))
    for (const [name] of made) {
      const found = (await listRefs(root, name)).find(({ ref }) => ref === name)
      if (!found || used.has(found.ref)) continue
      const reason = "coppice: its set-up was cut short"
      await deleteBranch(root, { branch: branchOf(found.ref), from: found.oid, reason })
    }
  })
}
