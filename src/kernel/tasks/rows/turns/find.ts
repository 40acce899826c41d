/** Turns as stored: each a prompt until the agent stops. */

import { Usage } from "../../../../api/wire/tasks.ts"
import type { SessionId, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { type SqlRow, sql } from "../../../store/sql.ts"

/** A turn as stored: a prompt until the agent stops. */
export type Turn = {
  readonly task: TaskId
  /** 1, 2, 3… within the task; COPPICE_TURN. */
  readonly n: number
  readonly session: SessionId
  readonly prompt: string
  /** When the agent first got it. */
  readonly begunAtMs: number | null
  readonly endedAtMs: number | null
  readonly usage: Usage | null
  /** The agent's summary when it declared its work done. */
  readonly declared: string | null
  /** The agent's last message in it. */
  readonly message: string | null
  /** Postponed until then; null: not postponed. */
  readonly retryAtMs: number | null
  /** The reason why it is postponed. */
  readonly waitsFor: string | null
  /** How often its model was unavailable. */
  readonly failures: number
  /** When its model was first unavailable; null: it was not. */
  readonly failingSinceMs: number | null
  /** A person wants it tried despite the known limit of its account. */
  readonly insisted: boolean
}

export const TURN_COLUMNS =
  "task, n, session, prompt, begun_at as begunAtMs, ended_at as endedAtMs, usage, declared, message, retry_at as retryAtMs, waits_for as waitsFor, failures, failing_since as failingSinceMs, insisted"

export function decodeTurn({ usage, insisted, ...rest }: SqlRow): Turn {
  return {
    ...rest,
    insisted: insisted === 1,
    usage: usage === null ? null : Usage.parse(JSON.parse(usage as string)),
  } as Turn
}

const FIND = `select ${TURN_COLUMNS} from turns where task = :task and ended_at is null`

/** Finds the turn of a task that has not ended: work to do, also after a crash. */
export function findOpenTurn(db: Db, task: TaskId): Turn | undefined {
  const row = sql(db, FIND).find({ task })
  return row && decodeTurn(row)
}

const FIND_BEGUN = `
  select 1 from turns where begun_at is not null
    and job = (select job from turns where task = :task and n = :n)`

/** Whether an agent has begun a turn of the same job. */
export const hasBegunJob = (db: Db, { task, n }: Turn): boolean =>
  sql(db, FIND_BEGUN).find({ task, n }) !== undefined

const LIST = `select ${TURN_COLUMNS} from turns where task = :task order by n`

export function listTurns(db: Db, task: TaskId): Turn[] {
  return sql(db, LIST).list({ task }).map(decodeTurn)
}

/** When an agent worked at the task; `toMs` is null for a turn that has not ended. */
export const listTurnTimes = (
  db: Db,
  task: TaskId,
): { readonly fromMs: number; readonly toMs: number | null }[] =>
  listTurns(db, task).flatMap(({ begunAtMs, endedAtMs }) =>
    begunAtMs === null ? [] : [{ fromMs: begunAtMs, toMs: endedAtMs }],
  )
