/** Takes the messages that no turn has delivered, for the prompt of the turn that opens now. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/** Assigns them to the turn that opens next, in the same transaction. */
const TAKE = `
  update messages
  set turn = (select coalesce(max(n), 0) + 1 from turns where turns.task = :task)
  where task = :task and turn is null
  returning id, text`

/** @returns the texts, oldest first; possibly none. */
export function takeMessages(db: Db, task: TaskId): string[] {
  const taken = sql(db, TAKE).list({ task }) as { readonly id: number; readonly text: string }[]
  return taken.toSorted((a, b) => a.id - b.id).map(({ text }) => text)
}
