/**
 * The chat threads that are conversations with tasks.
 *
 * A conversation has two cursors: `seen` is the last message of the thread that the task has received,
 * `noted` the last event that the thread has been notified of.
 */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"

export type ChatThread = {
  readonly source: string
  readonly item: string
  /** The nonce of its claim. It tells our notes from those of other fleets. */
  readonly nonce: string
  /** Null after the task is deleted. */
  readonly task: TaskId | null
  readonly seen: string
  readonly noted: number
  /** The first end of the task was reported with its claim. */
  readonly isReported: 0 | 1
  readonly activeAtMs: number
}

const COLUMNS = `
  source, item, nonce, task, seen, noted, is_reported as isReported, active_at as activeAtMs`
const ADD = `
  insert into chat_threads (source, item, nonce, task, seen, noted, active_at)
  values (:source, :item, :nonce, :task, :item, (select coalesce(max(seq), 0) from events), :nowMs)
  on conflict do update
  set nonce = excluded.nonce, task = excluded.task, seen = excluded.seen, noted = excluded.noted,
    is_reported = 0, active_at = excluded.active_at`

type NewThread = Pick<ChatThread, "source" | "item" | "nonce"> & { readonly task: TaskId }

/** The item is a conversation from now on. */
export function addChatThread(db: Db, thread: NewThread, nowMs: number): void {
  const { source, item, nonce, task } = thread
  sql(db, ADD).run({ source, item, nonce, task, nowMs })
}

const LIST = `select ${COLUMNS} from chat_threads where source = :source order by rowid`

export const listChatThreads = (db: Db, source: string): ChatThread[] =>
  sql(db, LIST).list({ source }) as ChatThread[]

type Change = Partial<Pick<ChatThread, "seen" | "noted" | "isReported" | "activeAtMs">>

const RECORD = `
  update chat_threads
  set seen = :seen, noted = :noted, is_reported = :isReported, active_at = :activeAtMs
  where source = :source and item = :item`

/** Moves a cursor. @returns the row as it is now. */
export function recordChat(db: Db, thread: ChatThread, change: Change): ChatThread {
  const now = { ...thread, ...change }
  const { source, item, seen, noted, isReported, activeAtMs } = now
  sql(db, RECORD).run({ source, item, seen, noted, isReported, activeAtMs })
  return now
}

const DROP = "delete from chat_threads where source = :source and item = :item"

/** The conversation is over. */
export function dropChatThread(db: Db, { source, item }: ChatThread): void {
  sql(db, DROP).run({ source, item })
}
