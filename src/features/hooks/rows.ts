/** How far each hook has followed the events. */

import { isOver } from "../../kernel/store/due-condition.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"

export type HookCursor = {
  /** The last event that the hook has dealt with. */
  readonly seq: number
  /** How many times the next one has failed. */
  readonly failures: number
  /** The time of the next try; null: at once. */
  readonly retryAtMs: number | null
}

const FIND = `
  select seq, failures, case when not ${isOver("retry_at", "retry_from")} then retry_at end as retryAtMs
  from hook_cursors where hook = :hook`
const ADD = `
  insert into hook_cursors (hook, seq) values (:hook, (select coalesce(max(seq), 0) from events))
  on conflict do nothing`
const ADVANCE = `
  update hook_cursors set seq = :seq, failures = 0, retry_at = null where hook = :hook`
const POSTPONE = `
  update hook_cursors set failures = failures + 1, retry_at = :retryAtMs, retry_from = :nowMs
  where hook = :hook`
const LIST = "select hook from hook_cursors"
const DELETE = "delete from hook_cursors where hook = :hook"

/** A new hook follows from now on; one that is no longer configured is forgotten. */
export function alignHooks(db: Db, hooks: readonly string[]): void {
  transaction(db, () => {
    for (const hook of hooks) sql(db, ADD).run({ hook })
    for (const { hook } of sql(db, LIST).list())
      if (!hooks.includes(hook as string)) sql(db, DELETE).run({ hook: hook as string })
  })
}

export const findHookCursor = (db: Db, hook: string, nowMs: number): HookCursor | undefined =>
  sql(db, FIND).find({ hook, nowMs }) as HookCursor | undefined

export type HookEnd = {
  readonly hook: string
  readonly seq: number
  readonly type: "hook.ran" | "hook.failed" | "hook.skipped"
  readonly data: Readonly<Record<string, unknown>>
}

/** The hook is done with the event: with success, for good, or because its `when` does not hold. */
export function recordHookEnd(db: Db, { hook, seq, type, data }: HookEnd, nowMs: number): void {
  transaction(db, () => {
    sql(db, ADVANCE).run({ hook, seq })
    appendEvent(db, { type, task: null, data: { hook, event: seq, ...data } }, nowMs)
  })
}

/** The task of the event is gone. */
export const passEvents = (db: Db, hook: string, seq: number): void =>
  void sql(db, ADVANCE).run({ hook, seq })

export type HookFailure = {
  readonly hook: string
  readonly seq: number
  readonly text: string
  readonly retryAtMs: number
}

/** The delivery of the event failed, and is tried again. */
export function postponeHook(db: Db, failure: HookFailure, nowMs: number): void {
  const { hook, seq, text, retryAtMs } = failure
  transaction(db, () => {
    sql(db, POSTPONE).run({ hook, retryAtMs, nowMs })
    const data = { hook, event: seq, text, retryAt: new Date(retryAtMs).toISOString() }
    appendEvent(db, { type: "hook.postponed", task: null, data }, nowMs)
  })
}
