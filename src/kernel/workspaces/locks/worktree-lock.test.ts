import { expect, test } from "vitest"
import type { TaskId } from "../../../base/ids.ts"
import { WorktreeLock } from "./worktree-lock.ts"

const never = new AbortController().signal
const task = 7 as TaskId
const LONG = { task, timeoutMs: 60_000, signal: never }
const SHORT = { task, timeoutMs: 1, signal: never }
const TURN = { task: 8 as TaskId, sinceMs: 5, signal: never }
const settle = () => new Promise((resolve) => setImmediate(resolve))

test("many share; an exclusive user waits for all of them, and later ones wait behind it", async () => {
  const lock = new WorktreeLock()
  const order: string[] = []
  const note = (name: string) => (lease: unknown) => {
    order.push(name)
    return lease as Disposable
  }
  const [one, two] = [await lock.share(["w"], TURN), await lock.share(["w"], TURN)]
  const alone = lock.own(["w"], LONG).then(note("alone"))
  const later = [lock.share(["w"], TURN), lock.share(["w"], TURN)].map((it) =>
    it.then(note("late")),
  )
  one.release()
  one.release()
  await settle()
  expect(order).toEqual([])
  two.release()
  const owner = await alone
  await settle()
  expect(order).toEqual(["alone"])
  owner[Symbol.dispose]()
  await Promise.all(later)
  expect(order).toEqual(["alone", "late", "late"])
})

test("a waiter that gave up gets nothing later, and lets those behind it pass", async () => {
  const lock = new WorktreeLock()
  const sharer = await lock.share(["w"], TURN)
  const alone = lock.own(["w"], SHORT)
  const behind = lock.share(["w"], TURN)
  expect(await alone).toBeUndefined()
  const second = await behind
  sharer.release()
  second.release()
  expect(await lock.own(["w"], SHORT)).toBeDefined()
})

test("a waiting turn knows the task it waits for, and since when, until it has the worktree", async () => {
  const lock = new WorktreeLock()
  const other = { ...TURN, task: 9 as TaskId }
  const sharer = await lock.share(["w"], other)
  const owning = lock.own(["w"], LONG)
  const sharing = lock.share(["w"], TURN)
  const wait = { worktree: "w", sinceMs: 5, by: 7 }
  expect([lock.findWait(TURN.task), lock.findWait(other.task)]).toEqual([wait, undefined])
  sharer.release()
  const owner = await owning
  expect(lock.findWait(TURN.task)).toEqual(wait)
  owner?.release()
  await sharing
  expect(lock.findWait(TURN.task)).toBeUndefined()
})

test("an abort ends a wait with its reason, and takes nothing", async () => {
  const lock = new WorktreeLock()
  const owner = await lock.own(["w"], SHORT)
  const stop = new AbortController()
  const sharing = lock.share(["w"], { ...TURN, signal: stop.signal })
  const owning = lock.own(["w"], { ...LONG, signal: stop.signal })
  stop.abort(new Error("the daemon ends"))
  await expect(sharing).rejects.toThrow("the daemon ends")
  await expect(owning).rejects.toThrow("the daemon ends")
  owner?.release()
  expect(await lock.own(["w"], SHORT)).toBeDefined()
})

test("several worktrees are taken together or not at all, in whatever order they are named", async () => {
  const lock = new WorktreeLock()
  const b = await lock.share(["b"], TURN)
  expect(await lock.own(["b", "a"], SHORT)).toBeUndefined()
  const a = await lock.own(["a"], SHORT)
  expect(a).toBeDefined()
  a?.release()
  b.release()
  const pairs = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      using lease = await lock.own(n % 2 ? ["a", "b"] : ["b", "a"], LONG)
      await settle()
      return lease
    }),
  )
  expect(pairs.every(Boolean)).toBe(true)
})
