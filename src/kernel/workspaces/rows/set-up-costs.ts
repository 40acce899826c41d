/** The time that set-up takes in a repository, which decides whether a pool pays. */
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** The cost of the last set-up of a worktree. */
export type SetUpCost = {
  /** Duration of the set-up command. */
  readonly ms: number
  /** Number of tracked files. */
  readonly files: number
  readonly at: number
}

const RECORD = `
  insert into set_up_costs (name, ms, files, at) values (:name, coalesce(:ms, 0), :files, :at)
  on conflict (name) do update set ms = coalesce(:ms, ms), files = :files, at = :at`

/** `ms`: null if no set-up ran, because an earlier one was still valid. */
export type SetUpMeasured = Omit<SetUpCost, "ms"> & {
  /** The name in coppice.yml. */
  readonly name: string
  readonly ms: number | null
}

export function recordSetUpCost(db: Db, { name, ms, files, at }: SetUpMeasured): void {
  sql(db, RECORD).run({ name, ms, files, at })
}

const FIND = "select ms, files, at from set_up_costs where name = :name"

export function findSetUpCost(db: Db, name: string): SetUpCost | undefined {
  return sql(db, FIND).find({ name }) as SetUpCost | undefined
}
