/** Where each target was when we last looked. */
import { branchRef, type Oid, type RefName, type TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { TargetMove } from "../rules/target-move.ts"
import { withdrawApprovals } from "./approvals.ts"

const RECORD = `
  update seen_targets
  set tip = :tip, is_logged = max(is_logged, :isLogged), moved = :moved
  where path = :path and target = :target and tip is :lastTip and moved is :lastMoved`

/** A look at a target. `put`: the tasks whose work the move put there, besides the one that it names. */
export type Look = Pick<SeenTarget, "tip" | "isLogged" | "moved"> & {
  readonly put?: readonly TaskId[]
}

/**
 * Announces a move that was not known, as event `target.moved`, and removes the approvals by people of the
 * work that it put there: they did not know of the move.
 *
 * @param last as it was read before the look. If another look has recorded more since, nothing changes.
 */
export function recordSeenTarget(
  db: Db,
  last: SeenTarget,
  { tip, isLogged, moved, put = [] }: Look,
  nowMs: number,
): void {
  const { path, target } = last
  if (moved && last.moved?.to === moved.to && last.moved.how === moved.how) return
  const read = { path, target, lastTip: last.tip, lastMoved: encodeMove(last.moved) }
  const seen = { tip, isLogged: isLogged ? 1 : 0, moved: encodeMove(moved) }
  transaction(db, () => {
    if (sql(db, RECORD).run({ ...read, ...seen }) === 0 || !moved) return
    const { atMs, ...facts } = moved
    const data = { repo: path, target, ...facts, at: new Date(atMs).toISOString() }
    const task = moved.task as TaskId | null
    for (const one of new Set(task === null ? put : [task, ...put])) withdrawApprovals(db, one)
    appendEvent(db, { type: "target.moved", task, data }, nowMs)
  })
}

const HEADS = `
  select distinct task, head
  from landing_repos join landings on landings.id = landing_repos.landing
  where path = :path and target = :target and head is not null
    and state not in ('landed', 'cancelled')
  order by task`

/** The snapshots of work that is on its way to a target. */
export const listHeads = (
  db: Db,
  { path, target }: TargetKey,
): readonly { readonly task: TaskId; readonly head: Oid }[] =>
  sql(db, HEADS).list({ path, target }) as { task: TaskId; head: Oid }[]

const encodeMove = (move: TargetMove | null) => move && JSON.stringify(move)

const decodeMove = (text: unknown): TargetMove | null =>
  typeof text === "string" ? (JSON.parse(text) as TargetMove) : null

export type TargetKey = { readonly path: string; readonly target: RefName }

export type SeenTarget = TargetKey & {
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

/** Lists the targets of all tasks, with their commits at the last check. */
export function listSeenTargets(db: Db): SeenTarget[] {
  return sql(db, LIST)
    .list()
    .map(({ path, branch, tip, isLogged, moved }) => ({
      path: path as string,
      target: branchRef(branch as string),
      tip: tip as Oid | null,
      isLogged: isLogged === 1,
      moved: decodeMove(moved),
    }))
}

const NOTE = `
  insert or ignore into seen_targets (path, target, tip, is_logged, moved)
  values (:path, :target, :tip, :isLogged, null)`

/** The first record of a target. A later check that has recorded more stands. */
export function noteSeenTarget(
  db: Db,
  { path, target, tip, isLogged }: Omit<SeenTarget, "moved" | "tip"> & { readonly tip: Oid },
): void {
  sql(db, NOTE).run({ path, target, tip, isLogged: isLogged ? 1 : 0 })
}

const NOTED = "select 1 as found from seen_targets where path = :path and target = :target"

export const isNoted = (db: Db, { path, target }: TargetKey): boolean =>
  sql(db, NOTED).find({ path, target }) !== undefined

const OURS = `
  select 1 as found from landing_repos join landings on landings.id = landing_repos.landing
  where path = :path and target = :target and candidate = :commit
    and (:from is null or base = :from) and (published = 1 or decided = 1 or state = 'publishing')
  limit 1`

type Landed = TargetKey & { readonly commit: Oid; readonly from?: Oid }

/** Whether a landing moves, or has moved, the target to this commit. @param from undefined: any. */
export function isLandedThere(db: Db, { path, target, commit, from }: Landed): boolean {
  return sql(db, OURS).find({ path, target, commit, from: from ?? null }) !== undefined
}
