import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startLockHolder } from "../../../test/support/lock-holder.ts"
import { addSampleLanding, addSampleTask, TestFolder } from "../../../test/support/store.ts"
import { findLanding } from "../landing/rows/find.ts"
import { findTask, listTasks } from "../tasks/rows/find.ts"
import { migrations } from "./migrations.ts"
import { openDb, readDb, tryLockFile } from "./open.ts"

test("data written before is there when the database is opened again", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  const task = addSampleTask(db)
  db.close()
  expect(findTask(openDb(path), task.id)).toEqual(task)
})

test("a database is its owner's alone, in a folder that others may read too", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  addSampleTask(db)
  const names = readdirSync(folder.path).sort()
  expect(names).toEqual(["coppice.db", "coppice.db-shm", "coppice.db-wal"])
  for (const name of names) expect(statSync(join(folder.path, name)).mode & 0o077).toBe(0)
})

test("commits reach the disk, and rows cannot refer to what is not there", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal")
  expect(db.pragma("synchronous", { simple: true })).toBe(2)
  expect(db.pragma("foreign_keys", { simple: true })).toBe(1)
  expect(db.pragma("busy_timeout", { simple: true })).toBe(0)
})

test("a database of a newer version is refused, and left as it is", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  db.pragma("user_version = 99")
  db.close()
  const before = readFileSync(path)

  expect(() => openDb(path)).toThrow(
    expect.objectContaining({ code: "store.too_new", blame: "user" }),
  )
  expect(readFileSync(path).equals(before)).toBe(true)
})

test.each([
  [0, "store.too_old", "an older version"],
  [
    99,
    "store.too_new",
    `a newer version of Coppice. (it has schema 99, and this version knows ${migrations().length})`,
  ],
])("a database with schema %i is not read: %s", (version, code, words) => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  db.pragma(`user_version = ${version}`)
  db.close()
  const message = expect.stringContaining(words)
  expect(() => readDb(path)).toThrow(expect.objectContaining({ code, message }))
})

test("a value that went has its successor in the rows of an older version", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  const { id, task } = addSampleLanding(db)
  db.exec(`update landings set outcome = 'REBASE_CONFLICT'; pragma user_version = 5;
    update tasks set program = '{"runtime":"codex-exec"}'`)
  db.close()
  const now = openDb(path)
  expect(findLanding(now, id)).toMatchObject({ outcome: "SQUASH_CONFLICT" })
  expect(findTask(now, task)?.program).toEqual({ runtime: "codex" })
})

test("a file that is not a database is refused, and left as it is", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  writeFileSync(path, "not a database, whatever its name says\n".repeat(100))
  expect(() => openDb(path)).toThrow(
    expect.objectContaining({ code: "store.corrupt", blame: "world" }),
  )
  expect(readFileSync(path, "utf8")).toContain("not a database")
})

test("a damaged database is the world's fault, and the error names the file", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  for (let n = 0; n < 50; n++) addSampleTask(db, { prompt: "x".repeat(1000) })
  db.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xff, 4096)) // all but the first page

  expect(() => listTasks(openDb(path))).toThrow(
    expect.objectContaining({
      code: "store.corrupt",
      blame: "world",
      message: expect.stringContaining(path),
    }),
  )
})

test("a folder that is missing is the world's fault", () => {
  using folder = new TestFolder()
  expect(() => openDb(join(folder.path, "missing", "coppice.db"))).toThrow(
    expect.objectContaining({ code: "store.failed", blame: "world" }),
  )
})

test("a full disk is an error that passes, and changes nothing", () => {
  using folder = new TestFolder()
  const db = openDb(join(folder.path, "coppice.db"))
  const task = addSampleTask(db)
  const pages = Number(db.pragma("page_count", { simple: true }))
  db.pragma(`max_page_count = ${pages}`)

  const fill = () => addSampleTask(db, { prompt: "x".repeat(100_000) })
  expect(fill).toThrow(
    expect.objectContaining({ code: "store.full", blame: "world", transient: true }),
  )
  expect(db.inTransaction).toBe(false)
  expect(listTasks(db)).toEqual([task])
  db.pragma(`max_page_count = ${pages + 1000}`)
  expect(fill().id).toBe(task.id + 1)
})

test("another program that writes is an error that passes", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const db = openDb(path)
  const other = openDb(path)
  other.exec("begin immediate")
  expect(() => addSampleTask(db)).toThrow(
    expect.objectContaining({ code: "store.busy", blame: "world", transient: true }),
  )
  other.exec("rollback")
  expect(addSampleTask(db).id).toBe(1)
})

test("a lock is held once in a process, until it is given back", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  const lock = tryLockFile(path)
  expect(lock).toBeDefined()
  expect(tryLockFile(path)).toBeUndefined()
  lock?.release()
  lock?.release()
  using again = tryLockFile(path)
  expect(again).toBeDefined()
})

test("a lock is held by one process of many, and given back when that is killed", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  await using holder = await startLockHolder(path)
  expect(tryLockFile(path)).toBeUndefined()
  await holder.kill()
  using lock = tryLockFile(path)
  expect(lock).toBeDefined()
})

test("a lock file that cannot be made is the world's fault, not a lock that is held", () => {
  using folder = new TestFolder()
  expect(() => tryLockFile(join(folder.path, "missing", "lock"))).toThrow(
    expect.objectContaining({ code: "store.failed" }),
  )
})
