/** The clean-up list of a home: what may be removed from its repositories, and what only a person can decide. Changes nothing. */
import { AppError } from "../../base/errors.ts"
import { branchRef } from "../../base/ids.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { listLatestLandings } from "../../kernel/landing/rows/find.ts"
import type { Db } from "../../kernel/store/open.ts"
import type { Unreadable } from "../../kernel/store/read-each.ts"
import { listTaskLines } from "../../kernel/tasks/rows/list-lines.ts"
import { listLeftBranches } from "../../kernel/tasks/rows/task-repos/list.ts"
import { branchCommands } from "../uninstall/rules.ts"
import type { CleanUpItem, MaintenanceContext } from "./clean-up-item.ts"
import type { View } from "./judge-worktree.ts"
import { viewRepository } from "./judge-worktree.ts"
import { listRefItems } from "./ref-items.ts"
import type { GcDocument } from "./wire.ts"
import { listWorktreeItems } from "./worktree-items.ts"

export type CleanUpList = {
  readonly repos: readonly { readonly path: string; readonly items: readonly CleanUpItem[] }[]
  /** One sentence for each thing that could not be inspected. */
  readonly notices: readonly string[]
}

export async function listCleanUp(context: MaintenanceContext): Promise<CleanUpList> {
  const repos: CleanUpList["repos"][number][] = []
  const notices: string[] = []
  for (const path of await context.listRepositories()) {
    try {
      const view = await viewRepository(context, path)
      const worktrees = await listWorktreeItems(context, view)
      const branches = await listBranchItems(context, view)
      repos.push({
        path,
        items: [...worktrees, ...branches, ...(await listRefItems(context, view))],
      })
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      notices.push(`${path} could not be inspected: ${error.message}`)
    }
  }
  return { repos, notices }
}

/** `status` and `doctor` show this many; `gc --dry-run` shows all. */
const PROBLEMS_MAX = 20

export function findProblems(db: Db, list: CleanUpList, { repos, notices }: GcDocument): string[] {
  const unreadable: string[] = []
  const tell = ({ task, error }: Unreadable) =>
    void unreadable.push(`Task ${task} cannot be read: ${error}.`)
  listTaskLines(db, tell)
  listLatestLandings(db, tell)
  const left = list.repos
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
async function listBranchItems(
  { db }: { readonly db: Db },
  { repo, rows }: View,
): Promise<CleanUpItem[]> {
  const live = new Set(rows.flatMap(({ isOver, branch }) => (isOver ? [] : (branch ?? []))))
  const items: CleanUpItem[] = []
  for (const { task, branch } of listLeftBranches(db, repo)) {
    if (live.has(branch) || !(await readCommit(repo, branchRef(branch)))) continue
    const why = `its task is over, and it may have a later commit; ${branchCommands(repo, branch).join(", ")}`
    items.push({ kind: "branch", name: branch, task, action: "keep", why, isLeft: true })
  }
  return items
}
