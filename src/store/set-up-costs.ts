/** The time that set-up takes in a repository, which decides whether a pool pays. */
import type { SetUpCost } from "../core/pool.ts"
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

const RECORD = `
  insert into set_up_costs (repo, ms, files, at) values (:repo, coalesce(:ms, 0), :files, :at)
  on conflict (repo) do update set ms = coalesce(:ms, ms), files = :files, at = :at`

/** `ms`: null if no set-up ran, because an earlier one was still valid. */
export type SetUpMeasured = Omit<SetUpCost, "ms"> & {
  readonly repo: string
  readonly ms: number | null
}

export function recordSetUpCost(db: Db, { repo, ms, files, at }: SetUpMeasured): void {
  sql(db, RECORD).run({ repo, ms, files, at })
}

const FIND = "select ms, files, at from set_up_costs where repo = :repo"

export function findSetUpCost(db: Db, repo: string): SetUpCost | undefined {
  return sql(db, FIND).find({ repo }) as SetUpCost | undefined
}
