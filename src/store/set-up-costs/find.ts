/** Finds the cost of the last set-up of a worktree of a repository. */
import type { SetUpCost } from "../../core/pool.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FIND = "select ms, files, at from set_up_costs where repo = :repo"

export function findSetUpCost(db: Db, repo: string): SetUpCost | undefined {
  return sql(db, FIND).find({ repo }) as SetUpCost | undefined
}
