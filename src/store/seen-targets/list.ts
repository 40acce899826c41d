/** Lists the targets of all tasks, with their commits at the last check. */
import { branchRef, type Oid, type RefName } from "../../core/ids.ts"
import type { TargetMove } from "../../core/target-move.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type SeenTarget = {
  /** Path of the repository. */
  readonly path: string
  readonly target: RefName
  /** Null: not checked yet. */
  readonly tip: Oid | null
  readonly isLogged: boolean
  /** The move past the gate that still stands. */
  readonly moved: TargetMove | null
}

const LIST = `
  select distinct task_repos.path, task_repos.target as branch, tip, is_logged as isLogged, moved
  from task_repos
  left join seen_targets on seen_targets.path = task_repos.path
    and seen_targets.target = 'refs/heads/' || task_repos.target
  order by task_repos.path, task_repos.target`

export function listSeenTargets(db: Db): SeenTarget[] {
  return sql(db, LIST)
    .list()
    .map(({ path, branch, tip, isLogged, moved }) => ({
      path: path as string,
      target: branchRef(branch as string),
      tip: tip as Oid | null,
      isLogged: isLogged === 1,
      moved: moved === null ? null : (JSON.parse(moved as string) as TargetMove),
    }))
}

const OURS = `
  select 1 as found from landing_repos join landings on landings.id = landing_repos.landing
  where path = :path and target = :target and candidate = :commit
    and (published = 1 or decided = 1 or state = 'publishing')
  limit 1`

/** Whether a landing moves, or has moved, the target to this commit. */
export function isLandedThere(
  db: Db,
  { path, target, commit }: Pick<SeenTarget, "path" | "target"> & { readonly commit: Oid },
): boolean {
  return sql(db, OURS).find({ path, target, commit }) !== undefined
}
