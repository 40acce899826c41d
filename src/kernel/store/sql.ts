/**
 * Statements and transactions.
 *
 * Every change of the store and its events are one transaction. Followers learn of events only once they
 * are committed.
 */
import { assert } from "../../base/assert.ts"
import type { LogLine, StoredEvent } from "./appended-rows.ts"
import { toStoreError } from "./errors.ts"
import type { Db } from "./open.ts"

export type SqlRow = Readonly<Record<string, unknown>>
type Params = Readonly<Record<string, string | number | null>>

/** A prepared statement with named parameters (`:name`). */
export type Statement = {
  /** @returns the number of changed rows. */
  run(params?: Params): number
  find(params?: Params): SqlRow | undefined
  /** The only row; there must be one. */
  read(params?: Params): SqlRow
  list(params?: Params): SqlRow[]
}

/** Called after a commit with the events and log lines appended. Must neither throw nor write. */
export type CommitListener = (events: readonly StoredEvent[], logLines: readonly LogLine[]) => void

type Connection = {
  /** Runs a change in a transaction, or in a savepoint of the current one. */
  readonly atomically: { immediate(change: () => unknown): unknown }
  readonly statements: Map<string, Statement>
  readonly listeners: Set<CommitListener>
  /** Events of the current transaction. */
  readonly events: StoredEvent[]
  readonly logLines: LogLine[]
}

const connections = new WeakMap<Db, Connection>()

/** The statement `text`, prepared once. @throws {StoreError} from each of its methods. */
export function sql(db: Db, text: string): Statement {
  const { statements } = connectionOf(db)
  const known = statements.get(text)
  if (known) return known
  const statement = prepare(db, text)
  statements.set(text, statement)
  return statement
}

/**
 * Runs `change` as one transaction, which holds the write lock from its start.
 *
 * A call inside another joins it: the outermost commits it, and a throw undoes only the inner
 * one. `change` is synchronous.
 */
export function transaction<T>(db: Db, change: () => T): T {
  const { events, logLines, atomically } = connectionOf(db)
  const before = { events: events.length, logLines: logLines.length }
  let result: T
  try {
    result = translated(db, () => atomically.immediate(change)) as T
  } catch (error) {
    events.length = before.events
    logLines.length = before.logLines
    throw error
  }
  if (!db.inTransaction) announce(db)
  return result
}

/** Calls `listener` after every commit that appended something. @returns a function that stops it. */
export function onCommit(db: Db, listener: CommitListener): () => void {
  const { listeners } = connectionOf(db)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Remembers the events and log lines of the current transaction, for followers. */
export function noteAppended(
  db: Db,
  appended: { event: StoredEvent } | { logLine: LogLine },
): void {
  const connection = connectionOf(db)
  if ("event" in appended) connection.events.push(appended.event)
  else connection.logLines.push(appended.logLine)
}

function announce(db: Db): void {
  const connection = connectionOf(db)
  const events = connection.events.splice(0)
  const logLines = connection.logLines.splice(0)
  if (events.length + logLines.length === 0) return
  for (const listener of connection.listeners) listener(events, logLines)
}

function prepare(db: Db, text: string): Statement {
  const statement = translated(db, () => db.prepare<[Params], SqlRow>(text))
  const find = (params: Params = {}) => translated(db, () => statement.get(params))
  return {
    find,
    read: (params) => {
      const row = find(params)
      assert(row, `a row comes of ${text}`)
      return row
    },
    run: (params = {}) => translated(db, () => statement.run(params).changes),
    list: (params = {}) => translated(db, () => statement.all(params)),
  }
}

function translated<T>(db: Db, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw toStoreError(error, db.name)
  }
}

function connectionOf(db: Db): Connection {
  let connection = connections.get(db)
  if (!connection) {
    const atomically = db.transaction((change: () => unknown) => change())
    const lists = { events: [], logLines: [] }
    connection = { atomically, statements: new Map(), listeners: new Set(), ...lists }
    connections.set(db, connection)
  }
  return connection
}
