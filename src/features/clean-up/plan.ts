/** Plans the clean-up of all repositories of the home, and lists what only a person can decide. Changes nothing. */
import { AppError } from "../../base/errors.ts"
import { branchRef } from "../../base/ids.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { listLatestLandings } from "../../kernel/landing/rows/find.ts"
import type { Db } from "../../kernel/store/open.ts"
import type { Unreadable } from "../../kernel/store/readable.ts"
import { listTaskLines } from "../../kernel/tasks/rows/list-lines.ts"
import { listLeftBranches } from "../../kernel/tasks/rows/task-repos/list.ts"
import { branchCommands } from "../uninstall/rules.ts"
import type { MaintenanceContext, PlanItem } from "./item.ts"
import type { View } from "./judge.ts"
import { viewRepository } from "./judge.ts"
import { planRefs } from "./ref-items.ts"
import type { GcDocument } from "./wire.ts"
import { planWorktrees } from "./worktree-items.ts"

export type CleanupPlan = {
  readonly repos: readonly { readonly path: string; readonly items: readonly PlanItem[] }[]
  /** One sentence for each thing that could not be inspected. */
  readonly notices: readonly string[]
}

export async function planCleanup(context: MaintenanceContext): Promise<CleanupPlan> {
  const repos: CleanupPlan["repos"][number][] = []
  const notices: string[] = []
  for (const path of await context.listRepositories()) {
    try {
      const view = await viewRepository(context, path)
      const worktrees = await planWorktrees(context, view)
      const branches = await planBranches(context, view)
      repos.push({ path, items: [...worktrees, ...branches, ...(await planRefs(context, view))] })
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      notices.push(`${path} could not be inspected: ${error.message}`)
    }
  }
  return { repos, notices }
}

/** `status` and `doctor` show this many; `gc --dry-run` shows all. */
const PROBLEMS_MAX = 20

export function findProblems(db: Db, plan: CleanupPlan, { repos, notices }: GcDocument): string[] {
  const unreadable: string[] = []
  const tell = ({ task, error }: Unreadable) =>
    void unreadable.push(`Task ${task} cannot be read: ${error}.`)
  listTaskLines(db, tell)
  listLatestLandings(db, tell)
  const left = plan.repos
    .flatMap(({ items }) => items)
    .filter(({ isLeft }) => isLeft)
    .map(({ name, why }) => `${name} is kept: ${why}.`)
  const failed = repos
    .flatMap(({ items }) => items)
    .filter(({ action, outcome }) => action === "remove" && outcome === "kept")
    .map(({ name, note }) => `${name} could not be removed: ${note}.`)
  return [...unreadable, ...notices, ...failed, ...left].slice(0, PROBLEMS_MAX)
}

/** A branch whose clean-up rests after an error is here too, until it is deleted. */
async function planBranches(
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
