/** Worktrees that are made, and set up, before a task needs one. */
import type { Feature } from "../../api/feature.ts"
import { keepPools } from "./pools.ts"
import { poolUse } from "./rows/list.ts"

export const pool: Feature = {
  name: "pool",
  create: ({ fleet: { db }, kernel: { workspaces } }) => {
    const { start, stop } = keepPools(db, () => workspaces.tendPools())
    return { start, end: stop, status: () => ({ pool: poolUse(db) }) }
  },
}
