/** Messages to a task's agent, and ends of its sub-tasks, until a turn delivers them. */
import type { TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { Question } from "../rules/question.ts"
import { recordDelivered } from "./questions/ask.ts"
import { listUndeliveredAnswers } from "./questions/list.ts"

type NewMessage = { readonly task: TaskId; readonly text: string }
/** `isNow`: for the turn that runs (kernel/tasks/rows/messages-now.ts). */
type NewPersonMessage = NewMessage & { readonly isNow?: boolean }

const ADD = `
  insert into messages (task, text, is_report, is_now, at)
  values (:task, :text, :isReport, :isNow, :nowMs)
  returning id`

/** Event `message.sent`. @returns its id. */
export function addMessage(
  db: Db,
  { task, text, isNow = false }: NewPersonMessage,
  nowMs: number,
): number {
  return transaction(db, () => {
    const { id } = sql(db, ADD).read({ task, text, isReport: 0, isNow: Number(isNow), nowMs })
    appendEvent(db, { type: "message.sent", task, data: { message: id, text } }, nowMs)
    return id as number
  })
}

/** The end of a sub-task. Event `report.sent`. */
export function addReport(db: Db, { task, text }: NewMessage, nowMs: number): void {
  transaction(db, () => {
    const { id } = sql(db, ADD).read({ task, text, isReport: 1, isNow: 0, nowMs })
    appendEvent(db, { type: "report.sent", task, data: { message: id, text } }, nowMs)
  })
}

/** Assigns them to the turn that opens next, in the same transaction. */
const TAKE = `
  update messages
  set is_now = 0, turn = (select coalesce(max(n), 0) + 1 from turns where turns.task = :task)
  where task = :task and turn is null
  returning id, text, is_report as isReport`

type Taken = { readonly id: number; readonly text: string; readonly isReport: number }

/** @returns the texts, oldest first; possibly none. */
function takeMessages(db: Db, task: TaskId): Pick<Undelivered, "texts" | "reports"> {
  const taken = (sql(db, TAKE).list({ task }) as Taken[]).toSorted((a, b) => a.id - b.id)
  const textsOf = (kind: number) =>
    taken.filter(({ isReport }) => isReport === kind).map(({ text }) => text)
  return { texts: textsOf(0), reports: textsOf(1) }
}

export type Undelivered = {
  readonly answers: readonly Question[]
  /** The messages of people. */
  readonly texts: readonly string[]
  /** Ends of sub-tasks. */
  readonly reports: readonly string[]
}

/** Call it in the transaction that opens the turn. Oldest first. */
export function takeUndelivered(db: Db, task: TaskId, nowMs: number): Undelivered {
  const answers = listUndeliveredAnswers(db, task)
  recordDelivered(db, answers, nowMs)
  return { answers, ...takeMessages(db, task) }
}
