/** Decides where a pool of worktrees made ahead pays. Pure. */
import type { PoolConfig } from "../../config/config.ts"
import type { SetUpCost } from "../../kernel/workspaces/rows/set-up-costs.ts"

/** A person notices a longer wait. */
const SET_UP_MS_MIN = 5_000
/** To check out more files takes a few tenths of a second. */
const FILES_MIN = 5_000
/** A repository without a new task for this long loses its pool, to free disk space. */
const UNUSED_MS_MAX = 7 * 24 * 60 * 60_000
/** Tasks mostly begin one at a time. */
const AHEAD = 1

/** How many worktrees of a repository to make ahead. @param cost undefined before its first task. */
export function worktreesAhead(
  config: PoolConfig,
  cost: SetUpCost | undefined,
  nowMs: number,
): number {
  if (config !== "auto") return config
  if (!cost || nowMs - cost.at > UNUSED_MS_MAX) return 0
  return cost.ms > SET_UP_MS_MIN || cost.files > FILES_MIN ? AHEAD : 0
}
