/** Plans the clean-up of all repositories of the home. Changes nothing. */
import { AppError } from "../../core/errors.ts"
import type { MaintenanceContext } from "./context.ts"
import type { PlanItem } from "./item.ts"
import { viewRepository } from "./judge.ts"
import { planRefs } from "./ref-items.ts"
import { planWorktrees } from "./worktree-items.ts"

export type Plan = {
  readonly repos: readonly { readonly path: string; readonly items: readonly PlanItem[] }[]
  /** One sentence for each thing that could not be inspected. */
  readonly notices: readonly string[]
}

export async function planCleanup(context: MaintenanceContext): Promise<Plan> {
  const repos: Plan["repos"][number][] = []
  const notices: string[] = []
  for (const path of await context.listRepositories()) {
    try {
      const view = await viewRepository(context, path)
      const worktrees = await planWorktrees(context, view)
      repos.push({ path, items: [...worktrees, ...(await planRefs(context, view))] })
    } catch (error) {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      notices.push(`${path} could not be inspected: ${error.message}`)
    }
  }
  return { repos, notices }
}
