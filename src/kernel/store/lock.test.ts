import { join } from "node:path"
import { expect, test } from "vitest"
import { startLockHolder } from "../../../test/support/lock-holder.ts"
import { TestFolder } from "../../../test/support/store.ts"
import { acquireLock } from "./lock.ts"
import { tryLockFile } from "./open.ts"

test("waits until the holder gives the lock back", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  const held = tryLockFile(path)
  const waiting = acquireLock(path, { timeoutMs: 60_000, pollMs: 5 })
  held?.release()
  using lock = await waiting
  expect(lock).toBeDefined()
})

test("waits until the process that holds the lock is killed", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  await using holder = await startLockHolder(path)
  const waiting = acquireLock(path, { timeoutMs: 60_000, pollMs: 5 })
  await holder.kill()
  using lock = await waiting
  expect(lock).toBeDefined()
})

test("gives up at the time limit, and names the file", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  using _held = tryLockFile(path)
  await expect(acquireLock(path, { timeoutMs: 10, pollMs: 5 })).rejects.toMatchObject({
    code: "store.lock_timeout",
    transient: true,
    message: expect.stringContaining(path),
  })
})

test("an abort ends the wait with its reason", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  using _held = tryLockFile(path)
  const controller = new AbortController()
  const { signal } = controller
  const waiting = acquireLock(path, { timeoutMs: 60_000, pollMs: 60_000, signal })
  controller.abort(new Error("enough"))
  await expect(waiting).rejects.toThrow("enough")
})

test("of many that wait at once, one holds the lock at a time", async () => {
  using folder = new TestFolder()
  const path = join(folder.path, "lock")
  let holders = 0
  const work = async () => {
    using _lock = await acquireLock(path, { timeoutMs: 60_000, pollMs: 1 })
    expect(++holders).toBe(1)
    await new Promise(setImmediate)
    holders--
  }
  await Promise.all(Array.from({ length: 20 }, work))
})
