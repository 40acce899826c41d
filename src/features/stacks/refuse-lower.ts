/** Refuses an upper task (`--on`) that could never start from the lower one's work, or land on it. */

import { DaemonError } from "../../kernel/errors.ts"
import type { LandMode } from "../../kernel/landing/rules/landing-states.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { StrategyName } from "../../kernel/tasks/rules/strategies.ts"

export type Lower = Pick<Task, "state" | "land" | "strategy"> & {
  /** A task that is not added yet has its title here. */
  readonly id: Task["id"] | string
  readonly repos: readonly Pick<Task["repos"][number], "name">[]
}

/** @throws {DaemonError} `task.refused` (user) */
export function refuseLower(
  lower: Omit<Lower, "repos">,
  upper: { readonly land: LandMode; readonly strategy: StrategyName },
): void {
  const { id, land } = lower
  const refused = (why: string, hint: string) =>
    new DaemonError("task.refused", `A task cannot start from the work of task ${id}: ${why}.`, [
      hint,
    ])
  if (lower.state === "cancelled")
    throw refused("it was cancelled", `\`--after ${id}\` starts from the target.`)
  if (lower.strategy !== "git_worktree" || upper.strategy !== "git_worktree")
    throw refused("both need branches of their own", "Use an agent with `strategy: git_worktree`.")
  if (land === "none" || upper.land === "none")
    throw refused("both have to land", `\`coppice land ${id}\` lands the work of task ${id} first.`)
  if ((land === "pr") !== (upper.land === "pr"))
    throw refused(
      "one of them lands by a pull request and the other does not",
      `Without \`--land\`, the new task lands as task ${id} does.`,
    )
}
