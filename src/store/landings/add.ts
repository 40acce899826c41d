/** Submits a task's branches for landing. */
import { assert } from "../../core/assert.ts"
import type { LandingId, TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { findLanding } from "./find.ts"
import type { Landing, LandingRepo } from "./row.ts"

export type LandingToAdd = {
  readonly task: TaskId
  readonly repos: readonly Pick<LandingRepo, "name" | "path" | "target">[]
}

const ADD = `
  insert into landings (task, state, since, queued_at)
  values (:task, 'snapshotting', :nowMs, :nowMs)
  returning id`

const ADD_REPO = `
  insert into landing_repos (landing, name, path, target)
  values (:landing, :name, :path, :target)`

/**
 * Adds a landing in state `snapshotting`; event `landing.submitted`.
 *
 * @throws when the task has a landing under way already: the database refuses a second one.
 */
export function addLanding(db: Db, { task, repos }: LandingToAdd, nowMs: number): Landing {
  return transaction(db, () => {
    const id = sql(db, ADD).read({ task, nowMs })["id"] as LandingId
    for (const { name, path, target } of repos)
      sql(db, ADD_REPO).run({ landing: id, name, path, target })
    appendEvent(db, { type: "landing.submitted", task, data: { landing: id } }, nowMs)
    const landing = findLanding(db, id)
    assert(landing, "a landing that was added is there")
    return landing
  })
}
