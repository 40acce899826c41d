/** Stores the texts of a task: its prompt, and its agent's last message, plan and progress. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** Replaces the title and the prompt, with which the next conversation begins. */
export function setPrompt(
  db: Db,
  id: TaskId,
  { title, prompt }: { readonly title: string; readonly prompt: string },
): void {
  const set = "update tasks set title = :title, prompt = :prompt where id = :id"
  sql(db, set).run({ id, title, prompt })
}

export function setMessage(db: Db, id: TaskId, message: string): void {
  sql(db, "update tasks set last_message = :message where id = :id").run({ id, message })
}

export function setPlan(db: Db, id: TaskId, plan: string): void {
  sql(db, "update tasks set plan = :plan where id = :id").run({ id, plan })
}

const SET = `
  update tasks set last_message = :text
  where id = :task and exists (select 1 from turns where task = :task and ended_at is null)
  returning (select n from turns where task = :task and ended_at is null) as turn`

/** @returns the turn; undefined if none is open, so that an agent's last message stays the last. */
export function setProgress(db: Db, task: TaskId, text: string): number | undefined {
  return sql(db, SET).find({ task, text })?.["turn"] as number | undefined
}
