/** Records the commit of a target, and announces a move past the gate. */
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { SeenTarget } from "./list.ts"

const RECORD = `
  insert into seen_targets (path, target, tip, is_logged, moved)
  values (:path, :target, :tip, :isLogged, :moved)
  on conflict (path, target) do update
  set tip = :tip, is_logged = max(is_logged, :isLogged), moved = :moved`

/** @param isNews announces the move, as event `target.moved`. */
export function recordTarget(
  db: Db,
  { path, target, tip, isLogged, moved }: SeenTarget,
  { isNews, nowMs }: { readonly isNews: boolean; readonly nowMs: number },
): void {
  transaction(db, () => {
    const text = moved && JSON.stringify(moved)
    sql(db, RECORD).run({ path, target, tip, isLogged: isLogged ? 1 : 0, moved: text })
    if (!moved || !isNews) return
    const { atMs, ...facts } = moved
    const data = { repo: path, target, ...facts, at: new Date(atMs).toISOString() }
    appendEvent(db, { type: "target.moved", task: moved.task as TaskId | null, data }, nowMs)
  })
}
