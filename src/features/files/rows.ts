/** Keeps the records of files that go with a task; daemon/files keeps their bytes. */

import type { TaskId } from "../../base/ids.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"
import type { ImageType } from "../../kernel/tasks/rules/files.ts"

export type TaskFile = {
  readonly id: number
  readonly task: TaskId
  /** As its sender named it. */
  readonly name: string
  /** The file's name in the task's folder. */
  readonly keptAs: string
  /** Null: it is no image. */
  readonly type: ImageType | null
  readonly bytes: number
  readonly byAgent: boolean
  readonly atMs: number
}

export type FileToAdd = Omit<TaskFile, "id" | "atMs"> & {
  /** The message that it came with; null: the prompt, or no message of a person. */
  readonly message: number | null
}

const ADD = `
  insert into files (task, name, kept_as, type, bytes, by_agent, message, at)
  values (:task, :name, :keptAs, :type, :bytes, :byAgent, :message, :nowMs)
  returning id`

/** Event `file.kept`. */
export function addFile(db: Db, file: FileToAdd, nowMs: number): void {
  transaction(db, () => {
    const { id } = sql(db, ADD).read({ ...file, byAgent: file.byAgent ? 1 : 0, nowMs })
    const { task, name, bytes, byAgent } = file
    appendEvent(db, { type: "file.kept", task, data: { file: id, name, bytes, byAgent } }, nowMs)
  })
}

const COLUMNS = "id, task, name, kept_as as keptAs, type, bytes, by_agent as byAgent, at as atMs"
const LIST = `select ${COLUMNS} from files where task = :task order by id`
const FIND = `select ${COLUMNS} from files where id = :id`

export const listFiles = (db: Db, task: TaskId): TaskFile[] =>
  sql(db, LIST).list({ task }).map(parse)

export function findFile(db: Db, id: number): TaskFile | undefined {
  const row = sql(db, FIND).find({ id })
  return row && parse(row)
}

/** Images of the prompt go with the first turn; a message's, with the turn that delivers it. */
const LIST_IMAGES = `
  select ${COLUMNS} from files where task = :task and type is not null and by_agent = 0
    and case when message is null then :n = 1
      else message in (select id from messages where task = :task and turn = :n) end
  order by id`

/** The images that a person sent with the message of a turn. */
export const listImages = (db: Db, { task, n }: { task: TaskId; n: number }): TaskFile[] =>
  sql(db, LIST_IMAGES).list({ task, n }).map(parse)

const parse = ({ byAgent, ...row }: Readonly<Record<string, unknown>>) =>
  ({ ...row, byAgent: byAgent === 1 }) as TaskFile
