/**
 * A gate in a task's own worktree: taken before the gate changes anything there, put back after it.
 *
 * If it was not put back, it still holds the gate's leftovers. After the next turn in it, by any task
 * that shares it, the leftovers cannot be separated from the agent's work.
 */
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import type { Landing, LandingRepo } from "./row.ts"

type Place = {
  readonly landing: Pick<Landing, "id" | "task">
  readonly repo: Pick<LandingRepo, "name">
}

/** Event `gate.worktree_taken` or `gate.worktree_put_back`. */
export function recordGateWorktree(
  db: Db,
  { landing, repo }: Place,
  state: "taken" | "put_back",
  nowMs: number,
): void {
  const data = { landing: landing.id, name: repo.name }
  appendEvent(db, { type: `gate.worktree_${state}`, task: landing.task, data }, nowMs)
}

const LAST = `
  select type = 'gate.worktree_taken' as taken from events
  where task in (select task from task_repos where worktree = :worktree) and (type = 'turn.began'
    or (type in ('gate.worktree_taken', 'gate.worktree_put_back')
      and data ->> 'landing' = :id and data ->> 'name' = :name))
  order by seq desc limit 1`

/** Whether a gate of this landing was cut off in the worktree, and left it as it was then. */
export function isTakenByGate(db: Db, { landing, repo }: Place, worktree: string): boolean {
  return sql(db, LAST).find({ worktree, id: landing.id, name: repo.name })?.["taken"] === 1
}

const LAST_OF_GATE = `
  select type, data ->> 'onTarget' as onTarget from events
  where task = :task and data ->> 'landing' = :id
    and type in ('gate.worktree_taken', 'gate.started', 'gate.unavailable')
  order by seq desc limit 1`

/** The gate command that ran in the worktree that is taken, so that HEAD may be the gate's. */
export function findCutOff(
  db: Db,
  { landing }: Pick<Place, "landing">,
): { readonly onTarget: boolean } | undefined {
  const last = sql(db, LAST_OF_GATE).find({ task: landing.task, id: landing.id })
  return last?.["type"] === "gate.started" ? { onTarget: last["onTarget"] === 1 } : undefined
}

const MOVES = `
  select count(*) as moves from events
  where task = :task and type = 'landing.moved' and data ->> 'landing' = :id and data ->> 'from' = 'gating'
    and seq > (select coalesce(max(seq), 0) from events where task = :task
      and (type in ('landing.resubmitted', 'turn.began')
        or (type = 'landing.blocked' and data ->> 'outcome' = 'GATE_UNAVAILABLE')))`

/** How often HEAD has moved while a gate of this landing ran, since an agent or a person last acted. */
export const countGateMoves = (db: Db, { id, task }: Place["landing"]): number =>
  sql(db, MOVES).find({ id, task })?.["moves"] as number
