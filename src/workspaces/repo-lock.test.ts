import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tryLockFile } from "../store/open.ts"
import { withRepoLock } from "./repo-lock.ts"

const folder = () => mkdtempDisposableSync(join(tmpdir(), "repo-lock-"))
const tick = () => new Promise((resolve) => setImmediate(resolve))

test("serves the waiters of a repository one at a time, in the order in which they came", async () => {
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

test("holds the system's lock while it works, and gives it back, also after a failure", async () => {
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
