/**
 * Opens SQLite: the state database, and files that serve as locks between processes.
 *
 * The one file that names the SQLite binding. `busy_timeout` is 0 everywhere, because waiting in
 * SQLite would freeze the daemon: lock.ts polls instead.
 */
import { chmodSync } from "node:fs"
import Database from "better-sqlite3"
import { assert } from "../../base/assert.ts"
import { isBusy, StoreError, toStoreError } from "./errors.ts"
import { migrations } from "./migrations.ts"

export type Db = Database.Database

/** A lock between processes. The system releases it when its holder dies in any way. */
export type FileLock = Disposable & {
  /** Releases the lock. Safe to repeat. */
  release(): void
}

/**
 * Opens the database at `path`, and creates or upgrades it if needed.
 *
 * @throws {StoreError} `store.too_new` (user) when a newer program wrote it, `store.corrupt`,
 *   `store.full`, `store.failed` (world).
 * @see https://www.sqlite.org/wal.html
 */
export function openDb(path: string): Db {
  return opened(path, (db) => {
    refuseNewer(db, path)
    const version = versionOf(db)
    // Only the owner may read the messages of agents; SQLite gives its other files the same mode.
    if (version === 0 && !db.memory) chmodSync(path, 0o600)
    db.exec("pragma journal_mode = wal; pragma synchronous = full")
    migrate(db)
    db.exec("pragma foreign_keys = on")
    return db
  })
}

/**
 * Opens the database at `path` to read, while another process may write it.
 *
 * @throws {StoreError} `store.too_new` (user), `store.too_old` (user): it stays as it is.
 */
export function readDb(path: string): Disposable & { readonly db: Db } {
  const db = opened(path, (db) => {
    refuseNewer(db, path)
    if (versionOf(db) < migrations().length) throw new StoreError("store.too_old", path)
    db.exec("pragma query_only = on")
    return db
  })
  return { db, [Symbol.dispose]: () => void db.close() }
}

function refuseNewer(db: Db, path: string): void {
  const [version, known] = [versionOf(db), migrations().length]
  const versions = new Error(`it has schema ${version}, and this version knows ${known}`)
  if (version > known) throw new StoreError("store.too_new", path, versions)
}

/** Keeps a reference: garbage collection would close the database, and so drop the lock. */
const held = new Set<Db>()

/**
 * Takes the lock of `path`: an exclusive transaction on a small SQLite file.
 *
 * No other code of this process may open the file: closing it would drop the lock (POSIX).
 *
 * @returns undefined if this process or another holds it.
 * @throws {StoreError} `store.failed` (world) when the file cannot be used.
 * @see https://www.sqlite.org/howtocorrupt.html#posix_close_bug
 */
export function tryLockFile(path: string): FileLock | undefined {
  return opened(path, (db) => {
    try {
      db.exec("begin exclusive")
    } catch (error) {
      if (!isBusy(error)) throw error
      db.close()
      return undefined
    }
    held.add(db)
    const release = () => {
      db.close()
      held.delete(db)
    }
    return { release, [Symbol.dispose]: release }
  })
}

/** Opens `path` and uses it. On failure closes it and explains the error. */
function opened<T>(path: string, use: (db: Db) => T): T {
  let db: Db | undefined
  try {
    db = new Database(path, { timeout: 0 })
    return use(db)
  } catch (error) {
    db?.close()
    // The binding refuses a missing folder before it asks SQLite.
    if (error instanceof TypeError && !db) throw new StoreError("store.failed", path, error)
    throw toStoreError(error, path)
  }
}

/**
 * Applies missing migrations and the version number in one transaction. References are only checked at
 * the end, so that a migration can rebuild a table.
 */
function migrate(db: Db): void {
  db.exec("pragma foreign_keys = off")
  const apply = db.transaction(() => {
    for (const [at, text] of migrations().entries()) {
      if (at < versionOf(db)) continue
      db.exec(text)
      db.pragma(`user_version = ${at + 1}`)
    }
    const broken = db.pragma("foreign_key_check") as unknown[]
    assert(broken.length === 0, "a migration keeps every reference")
  })
  if (versionOf(db) < migrations().length) apply.immediate()
}

const versionOf = (db: Db): number => Number(db.pragma("user_version", { simple: true }))
