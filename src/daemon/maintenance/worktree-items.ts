/** Plans what becomes of the worktrees of a repository. */
import type { SurveyedWorktree } from "../../workspaces/cleanup/survey.ts"
import type { MaintenanceContext } from "./context.ts"
import type { Done, PlanItem } from "./item.ts"
import { type Judged, judgeWorktree, type View } from "./judge.ts"
import { removeDisposable, removeJudged } from "./remove-worktree.ts"

/** What the disk budget may take of: the item, and how it was judged. */
export type WorktreeItem = PlanItem & {
  readonly judged: Pick<Judged, "isSafe" | "ageMs">
  readonly worktree: Pick<SurveyedWorktree, "gitDir" | "branch">
  /** Removes it although it is young; where that can be. */
  early?(signal: AbortSignal): Promise<Done>
}

export async function planWorktrees(
  context: MaintenanceContext,
  view: View,
  sizes: ReadonlyMap<string, number>,
): Promise<{ readonly worktrees: WorktreeItem[]; readonly disposables: PlanItem[] }> {
  const worktrees: WorktreeItem[] = []
  const disposables: PlanItem[] = []
  for (const worktree of view.worktrees) {
    if (worktree.kind === "disposable") {
      disposables.push(planDisposable(context, view, worktree))
      continue
    }
    const judged = await judgeWorktree(context, view, worktree)
    const { task, action, why, use } = judged
    worktrees.push({
      ...{ kind: "worktree", name: worktree.path, task, action, why, judged, worktree },
      bytes: sizes.get(worktree.path) ?? null,
      isLeft: action === "keep" && use !== "live" && !judged.isSafe,
      act: (signal) => removeJudged(context, { worktree, isForced: false }, signal),
      early: (signal) => removeJudged(context, { worktree, isForced: true }, signal),
    })
  }
  return { worktrees, disposables }
}

/** Nothing in it is anybody's work. A landing that is under way comes back to its own. */
function planDisposable(
  context: MaintenanceContext,
  { rows, running }: View,
  worktree: SurveyedWorktree,
): PlanItem {
  const { path, task } = worktree
  const isLive = rows.some((row) => row.task === task && !row.isOver)
  const user = running.find(({ cwd }) => cwd === path || cwd.startsWith(`${path}/`))
  const why = isLive ? "its landing is not over" : user && `process ${user.pid} runs there`
  return {
    ...{ kind: "disposable", name: path, task, bytes: null, isLeft: false },
    action: why === undefined ? "remove" : "keep",
    why: why ?? "its landing is over",
    act: (signal) => removeDisposable(context, worktree, signal),
  }
}
