/** Keeps the pull request of a task in each of its repositories. */
import { assert } from "../../base/assert.ts"
import type { Oid, TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import type { CheckState, PullReviewState, PullState } from "./rules.ts"

export type PullRequest = {
  readonly task: TaskId
  readonly name: string
  /** A hash of the addresses of the remote, to push to and to fetch from, when the task was created. */
  readonly address: string
  /** The branch's name at the remote; null: nothing was pushed yet. */
  readonly branch: string | null
  /** The branch that we made it lead into: written before it is opened. */
  readonly base: string | null
  /** The last commit that we know to be pushed. */
  readonly pushed: Oid | null
  /** The commit that is being pushed: written before the push. */
  readonly pushing: Oid | null
  /** The remote had no such branch before our push: written before the push. */
  readonly created: boolean
  /** Null until it is opened. */
  readonly number: number | null
  readonly url: string | null
  readonly state: PullState
  readonly review: PullReviewState
  readonly checks: CheckState
  /** The reviews that were handed back. */
  readonly handled: readonly number[]
  /** The place in the forge's merge queue that was asked for last; written before that. */
  readonly queue: QueuedHead | null
  /** Why the forge could not be asked, for a person. */
  readonly problem: string | null
}

/** The head for which that place was asked. */
export type QueuedHead = {
  readonly head: Oid
  /** The latest removal from the queue before that. */
  readonly seen: string | null
  /** The commit that the queue tested, when it was seen there. */
  readonly commit: Oid | null
}

type Key = Pick<PullRequest, "task" | "name">

const ADD = `
  insert into pull_requests (task, name, address) values (:task, :name, :address)`

/** Records where a new task is pushed to, before its agent can change that. */
export function addPullRequest(db: Db, added: Key & { readonly address: string }): void {
  const { task, name, address } = added
  sql(db, ADD).run({ task, name, address })
}

const COLUMNS = `
  task, name, address, branch, base, pushed, pushing, created, number, url, state, review, checks, handled, queue, problem`
const LIST = `select ${COLUMNS} from pull_requests where task = :task order by rowid`
const LIST_ALL = `select ${COLUMNS} from pull_requests order by rowid`

export function listPullRequests(db: Db, task: TaskId): PullRequest[] {
  return sql(db, LIST).list({ task }).map(parse)
}

export function listAllPullRequests(db: Db): ReadonlyMap<TaskId, PullRequest[]> {
  return Map.groupBy(sql(db, LIST_ALL).list().map(parse), ({ task }) => task)
}

const parse = ({ handled, created, queue, ...row }: Readonly<Record<string, unknown>>) =>
  ({
    ...row,
    created: created === 1,
    handled: JSON.parse(handled as string),
    queue: queue === null ? null : JSON.parse(queue as string),
  }) as PullRequest

export type PullChange = Partial<Omit<PullRequest, "task" | "name" | "address">>

const RECORD = `
  update pull_requests
  set branch = :branch, base = :base, pushed = :pushed, pushing = :pushing, created = :created, number = :number, url = :url,
      state = :state, review = :review, checks = :checks, handled = :handled, queue = :queue, problem = :problem
  where task = :task and name = :name`

export function recordPull(db: Db, { task, name }: Key, change: PullChange): void {
  const row = listPullRequests(db, task).find((one) => one.name === name)
  assert(row, "a pull request that changes is on record")
  const { address: _address, created, handled, queue, ...columns } = { ...row, ...change }
  const json = {
    handled: JSON.stringify(handled),
    queue: queue === null ? null : JSON.stringify(queue),
  }
  sql(db, RECORD).run({ ...columns, ...json, created: created ? 1 : 0 })
}
