import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startLockHolder } from "../../../../test/support/lock-holder.ts"
import type { TaskId } from "../../../base/ids.ts"
import { tryLockFile } from "../../store/open.ts"
import { Waits } from "../../waits/waits.ts"
import { withRepoLock } from "./repo-lock.ts"

const folder = () => mkdtempDisposableSync(join(tmpdir(), "repo-lock-"))
const tick = () => new Promise((resolve) => setImmediate(resolve))

test("serves the waiters of a repository one at a time, in order of arrival", async () => {
  using repo = folder()
  const order: number[] = []
  let inside = 0
  const work = async (n: number) => {
    expect(++inside).toBe(1)
    await tick()
    order.push(n)
    inside--
  }
  await Promise.all(Array.from({ length: 20 }, (_, n) => withRepoLock(repo.path, () => work(n))))
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

test("a repository does not wait for another", async () => {
  using one = folder()
  using other = folder()
  await withRepoLock(one.path, () => withRepoLock(other.path, tick))
})

test("holds the system's lock while it works, and releases it, also after a failure", async () => {
  using repo = folder()
  const path = join(repo.path, "coppice.lock")
  const fail = async () => {
    expect(tryLockFile(path)).toBeUndefined()
    throw new Error("no")
  }
  await expect(withRepoLock(repo.path, fail)).rejects.toThrow("no")
  expect(await withRepoLock(repo.path, async () => "next")).toBe("next")
  const lock = tryLockFile(path)
  expect(lock).toBeDefined()
  lock?.release()
})

test("a cancelled waiter leaves the queue in order, and the others undisturbed", async () => {
  using repo = folder()
  const order: string[] = []
  const release = Promise.withResolvers<void>()
  const stop = new AbortController()
  const first = withRepoLock(repo.path, async () => {
    await release.promise
    order.push("first")
  })
  const second = withRepoLock(repo.path, async () => order.push("second"), stop.signal)
  const third = withRepoLock(repo.path, async () => order.push("third"))
  const reason = new Error("the daemon ends")
  stop.abort(reason)
  await expect(second).rejects.toBe(reason)
  await tick()
  expect(order).toEqual([])
  release.resolve()
  await Promise.all([first, third])
  expect(order).toEqual(["first", "third"])
})

test("a task that waits for another process's lock names it [12.1]", async () => {
  using repo = folder()
  const path = join(repo.path, "coppice.lock")
  await using holder = await startLockHolder(path)
  const waits = new Waits()
  const task = 7 as TaskId
  const waiting = waits.during(task, () => withRepoLock(repo.path, async () => "done"))
  expect(waits.find(task)?.text).toBe(`the lock ${path}, which another process holds`)
  await holder.kill()
  expect(await waiting).toBe("done")
  expect(waits.find(task)).toBeUndefined()
})

test("a wait for another process ends with the signal's reason, and takes nothing", async () => {
  using repo = folder()
  await using holder = await startLockHolder(join(repo.path, "coppice.lock"))
  const stop = new AbortController()
  const work = () => Promise.reject(new Error("it does not hold the lock"))
  const waiting = withRepoLock(repo.path, work, stop.signal)
  const reason = new Error("the daemon ends")
  setImmediate(() => stop.abort(reason))
  await expect(waiting).rejects.toBe(reason)
  await holder.kill()
  expect(await withRepoLock(repo.path, async () => "next")).toBe("next")
})
