import { expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { StoreLoop } from "./loop.ts"
import { openDb } from "./open.ts"

/** One row, whose work fails as long as the test says so. */
function failing({ neverGivesUp = false } = {}) {
  const at: number[] = []
  let isBroken = true
  let isDone = false
  const loop = new StoreLoop<number>(openDb(":memory:"), {
    list: (driven) => (isDone || driven.has(1) ? [] : [1]),
    drive: async () => {
      at.push(performance.now())
      if (isBroken) throw new Error("the disk is full")
      isDone = true
    },
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    onError: () => {},
    neverGivesUp: () => neverGivesUp,
    rests: { attemptsMax: 4, delayMsMin: 50, delayMsMax: 200 },
  })
  loop.start()
  const mend = () => {
    isBroken = false
  }
  return { loop, at, mend, isDone: () => isDone }
}

test("a row that is already being driven does not wake the loop", async () => {
  const asked: number[] = []
  const end = Promise.withResolvers<void>()
  const loop = new StoreLoop<number>(openDb(":memory:"), {
    list: (busy) => (busy.has(1) ? [] : [1]),
    drive: () => end.promise,
    isWithdrawn: () => false,
    wakeInMs: (busy) => {
      asked.push(busy.size)
      return busy.has(1) ? undefined : 0
    },
    onError: () => {},
  })
  loop.start()
  await waitFor("a search", () => asked.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked).toEqual([1])
  end.resolve()
  await loop.stop()
})

test("while the search for work fails, a row that waits for it has the reason", async () => {
  let isBroken = true
  const done: number[] = []
  const loop = new StoreLoop<number>(openDb(":memory:"), {
    list: () => {
      if (isBroken) throw new Error("no such column: x")
      return done.length > 0 ? [] : [1]
    },
    drive: async (id) => void done.push(id),
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    onError: () => {},
    rests: { attemptsMax: 4, delayMsMin: 50, delayMsMax: 200 },
  })
  loop.start()
  const found = await waitFor("the reason", () => loop.findRest(1))
  expect(found).toEqual({ text: "no such column: x", retryAtMs: expect.any(Number) })
  isBroken = false
  await waitFor("the work", () => done.length > 0)
  expect(loop.findRest(1)).toBe(undefined)
  await loop.stop()
})

test("a row that no person waits for is tried for ever, at the longest rest [12.18]", async () => {
  const { loop, at, mend, isDone } = failing({ neverGivesUp: true })
  await waitFor("more tries than others get", () => at.length > 5)
  expect(loop.findRest(1)?.retryAtMs).not.toBe(null)
  mend()
  await waitFor("the work", isDone)
  await loop.stop()
})

test("a row that fails rests longer each time, and in the end waits for a person and says so [12.7]", async () => {
  const { loop, at, mend, isDone } = failing()
  await waitFor("a first rest", () => loop.findRest(1))
  expect(loop.findRest(1)).toEqual({ text: "the disk is full", retryAtMs: expect.any(Number) })
  await waitFor("the end", () => loop.findRest(1)?.retryAtMs === null)
  expect(at).toHaveLength(4)
  const rests = at.slice(1).map((ms, n) => ms - at[n]!)
  expect(rests.map((ms, n) => ms >= 49 * 2 ** n)).toEqual([true, true, true])
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(at, "it is no longer retried automatically").toHaveLength(4)
  mend()
  loop.retry(1)
  await waitFor("the work", isDone)
  expect(loop.findRest(1)).toBeUndefined()
  await loop.stop()
})

test("a look that commits nothing is followed by the next one, at its time", async () => {
  const looks: number[] = []
  let nextAtMs = 0
  const loop = new StoreLoop<number>(openDb(":memory:"), {
    list: (busy) => (busy.has(1) || performance.now() < nextAtMs ? [] : [1]),
    drive: async () => {
      nextAtMs = performance.now() + 20
      looks.push(nextAtMs)
    },
    isWithdrawn: () => false,
    wakeInMs: (busy) => (busy.has(1) ? undefined : Math.max(0, nextAtMs - performance.now())),
    onError: () => {},
  })
  loop.start()
  await waitFor("three looks", () => looks.length >= 3)
  await loop.stop()
})
