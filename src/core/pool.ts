/** Decides where worktrees that are made ahead pay. Pure. */
import type { PoolConfig } from "./config.ts"

/** What the last set-up of a worktree took. */
export type SetUpCost = {
  /** Of the set-up command. */
  readonly ms: number
  /** That git tracks. */
  readonly files: number
  readonly at: number
}

/** A person notices a wait that is longer. */
const SET_UP_MS_MIN = 5_000
/** To check out more files takes a few tenths of a second. */
const FILES_MIN = 5_000
/** A repository that no task was set up in for so long gets its room on the disk back. */
const UNUSED_MS_MAX = 7 * 24 * 60 * 60_000
/** Tasks mostly begin one at a time. */
const AHEAD = 1

/** How many worktrees of a repository wait for a task. @param cost undefined: no task had one yet. */
export function worktreesAhead(
  config: PoolConfig,
  cost: SetUpCost | undefined,
  nowMs: number,
): number {
  if (config !== "auto") return config
  if (!cost || nowMs - cost.at > UNUSED_MS_MAX) return 0
  return cost.ms > SET_UP_MS_MIN || cost.files > FILES_MIN ? AHEAD : 0
}
