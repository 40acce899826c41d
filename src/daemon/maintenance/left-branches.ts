/** Lists branches that outlived their tasks: each may have a commit that came too late to be saved. */
import { branchRef } from "../../core/ids.ts"
import { branchCommands } from "../../core/leave-commands.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { Db } from "../../store/open.ts"
import { listLeftBranches } from "../../store/task-repos/left-branches.ts"
import type { PlanItem } from "./item.ts"
import type { View } from "./judge.ts"

/** A branch whose clean-up rests after an error is here too, until it is deleted. */
export async function planBranches(
  { db }: { readonly db: Db },
  { repo, rows }: View,
): Promise<PlanItem[]> {
  const live = new Set(rows.flatMap(({ isOver, branch }) => (isOver ? [] : (branch ?? []))))
  const items: PlanItem[] = []
  for (const { task, branch } of listLeftBranches(db, repo)) {
    if (live.has(branch) || !(await readCommit(repo, branchRef(branch)))) continue
    const why = `its task is over, and it may have a later commit; ${branchCommands(repo, branch).join(", ")}`
    items.push({ kind: "branch", name: branch, task, action: "keep", why, isLeft: true })
  }
  return items
}
