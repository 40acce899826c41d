/** Addresses in notifications that act on a task, each once. */

import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"
import type { LinkAction, LinkSubject } from "./rules.ts"

type NewLink = {
  /** The number of the event that its message is about. */
  readonly event: number
  readonly task: TaskId
  readonly action: LinkAction
  readonly subject: LinkSubject
}

export type ActionLink = Omit<NewLink, "event"> & {
  readonly id: number
  readonly untilMs: number
  readonly usedAtMs: number | null
}

const EXPIRE = "delete from action_links where until <= :nowMs"
const ADD = `
  insert into action_links (event, task, action, subject, until)
  values (:event, :task, :action, :subject, :untilMs) on conflict do nothing`
const FIND_ID = `
  select id from action_links where event = :event and action = :action and subject = :subject`
const FIND = `
  select id, task, action, subject, until as untilMs, used_at as usedAtMs
  from action_links where id = :id`
const USE = "update action_links set used_at = :nowMs where id = :id and used_at is null"

/** A repetition of the message finds the same one. Removes those that have expired. @returns its id. */
export function addActionLink(db: Db, link: NewLink & { untilMs: number }, nowMs: number): number {
  const { event, task, action, untilMs } = link
  const subject = JSON.stringify(link.subject)
  return transaction(db, () => {
    sql(db, EXPIRE).run({ nowMs })
    sql(db, ADD).run({ event, task, action, subject, untilMs })
    return Number(sql(db, FIND_ID).read({ event, action, subject })["id"])
  })
}

export function findActionLink(db: Db, id: number): ActionLink | undefined {
  const row = sql(db, FIND).find({ id })
  return row && ({ ...row, subject: JSON.parse(String(row["subject"])) } as ActionLink)
}

/** @returns false if it was used before. */
export const spendActionLink = (db: Db, id: number, nowMs: number): boolean =>
  sql(db, USE).run({ id, nowMs }) === 1
