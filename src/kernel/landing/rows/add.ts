/** Submits a task's branches for landing. */
import { assert } from "../../../base/assert.ts"
import type { LandingId, TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import { findLanding } from "./find.ts"
import type { Landing, LandingRepo } from "./row.ts"

export type LandingToAdd = {
  readonly task: TaskId
  /** With a head if no branch has it. */
  readonly repos: readonly (Pick<LandingRepo, "name" | "path" | "target"> &
    Partial<Pick<LandingRepo, "head">>)[]
  /** The landing that this one reverts. */
  readonly undoes?: LandingId | null
}

const ADD = `
  insert into landings (task, state, since, queued_at, undoes)
  values (:task, 'snapshotting', :nowMs, :nowMs, :undoes)
  returning id`

const ADD_REPO = `
  insert into landing_repos (landing, name, path, target, head)
  values (:landing, :name, :path, :target, :head)`

/**
 * Adds a landing in state `snapshotting`; event `landing.submitted`.
 *
 * @throws if the task has an unfinished landing: the database refuses a second one.
 */
export function addLanding(
  db: Db,
  { task, repos, undoes = null }: LandingToAdd,
  nowMs: number,
): Landing {
  return transaction(db, () => {
    const id = sql(db, ADD).read({ task, nowMs, undoes })["id"] as LandingId
    for (const { name, path, target, head = null } of repos)
      sql(db, ADD_REPO).run({ landing: id, name, path, target, head })
    appendEvent(db, { type: "landing.submitted", task, data: { landing: id } }, nowMs)
    const landing = findLanding(db, id)
    assert(landing, "a landing that was added is there")
    return landing
  })
}
