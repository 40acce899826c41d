/** Plans what is to be cleaned up in all of the home's repositories. Changes nothing. */
import { planBudget } from "../../core/disk-budget.ts"
import { AppError } from "../../core/errors.ts"
import { surveyIdle } from "../../workspaces/cleanup/idle.ts"
import type { MaintenanceContext } from "./context.ts"
import { planIdle } from "./idle-items.ts"
import type { PlanItem } from "./item.ts"
import { lookAtRepository } from "./judge.ts"
import { planLeftovers } from "./leftover-items.ts"
import { planRefs } from "./ref-items.ts"
import { measureWorktrees } from "./sizes.ts"
import { planWorktrees, type WorktreeItem } from "./worktree-items.ts"

export type Plan = {
  readonly repos: readonly { readonly path: string; readonly items: readonly PlanItem[] }[]
  readonly disk: {
    /** Of all worktrees of the home whose size is known. */
    readonly bytes: number
    readonly bytesMax: number | undefined
    /** When all of the plan is done. */
    readonly isMet: boolean
    /** Worktrees whose size is not known. */
    readonly unknown: number
  }
  /** What could not be looked at, one sentence each. */
  readonly notices: readonly string[]
}

type OfRepository = {
  readonly path: string
  readonly worktrees: readonly WorktreeItem[]
  readonly others: readonly PlanItem[]
}

export async function planCleanup(context: MaintenanceContext): Promise<Plan> {
  const found: OfRepository[] = []
  const notices: string[] = []
  for (const repo of await context.listRepositories()) {
    try {
      found.push(await planRepository(context, repo))
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      notices.push(`${repo} could not be looked at: ${error.message}`)
    }
  }
  const all = found.flatMap(({ worktrees }) => worktrees)
  const { diskBytesMax: bytesMax } = context.config().maintenance.worktrees
  const budgeted = all.map(({ name, bytes, action, judged }) => {
    return { name, bytes, ...judged, isGoing: action === "remove" }
  })
  const { chosen, bytes, isMet } = planBudget(budgeted, bytesMax)
  const repos = found.map(({ path, worktrees, others }) => {
    const early = worktrees.map((item) => (chosen.has(item.name) ? goEarly(item) : item))
    return { path, items: [...early, ...others] }
  })
  const unknown = all.filter((item) => item.bytes === null).length
  return { repos, disk: { bytes, bytesMax, isMet, unknown }, notices }
}

async function planRepository(context: MaintenanceContext, repo: string): Promise<OfRepository> {
  const view = await lookAtRepository(context, repo)
  const there = view.worktrees.filter(({ folder, kind }) => folder === "there" && kind === "task")
  const idle = await surveyIdle({ home: context.stateDir, repo })
  const paths = [...there, ...idle.filter(({ folder }) => folder === "there")].map(
    ({ path }) => path,
  )
  const sizes = await measureWorktrees(context.db, paths, view.nowMs)
  const bytes = new Map([...sizes].map(([path, size]) => [path, size.bytes]))
  const { worktrees, disposables } = await planWorktrees(context, view, bytes)
  const leftovers = await planLeftovers(context, view)
  const others = [...disposables, ...leftovers, ...(await planRefs(context, view))]
  const waiting = await planIdle(context, view, { idle, sizes: bytes })
  return { path: repo, worktrees: [...worktrees, ...waiting], others }
}

/** The disk is short, and nothing in it would be lost. */
function goEarly({ early, ...item }: WorktreeItem): WorktreeItem {
  const why = `disk_budget is exceeded, and the oldest go first: ${item.why}`
  return { ...item, action: "remove", why, ...(early && { act: early }) }
}
