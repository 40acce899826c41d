/** The pools of a home, as its strategy for worktrees uses them. */
import type { WorktreePool } from "../../kernel/workspaces/worktree-pool.ts"
import { claimWorktree, leavePool } from "./claim-entry.ts"
import type { Pool, PoolParts } from "./pool.ts"
import { PoolKeeper } from "./pool-keeper.ts"
import { removePoolEntry } from "./rows/record.ts"
import { tendPools } from "./tend-pool.ts"

export function poolOf(parts: PoolParts): WorktreePool {
  const pool: Pool = { ...parts, keeper: new PoolKeeper(parts.onError) }
  return {
    claim: (claim) => claimWorktree(pool, claim),
    leave: (workspace) => leavePool(pool, workspace),
    forget: (worktree) => removePoolEntry(pool.db, worktree),
    tend: (context) => tendPools(context, pool).catch(pool.onError),
    idle: () => pool.keeper.idle(),
    close: () => pool.keeper.close(),
  }
}
