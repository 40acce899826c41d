import fc from "fast-check"
import { expect, test } from "vitest"
import { retryDelayMs } from "./retry.ts"

const policy = fc
  .record({
    attemptsMax: fc.integer({ min: 1, max: 2000 }),
    delayMsMin: fc.integer({ min: 1, max: 60_000 }),
    grows: fc.integer({ min: 1, max: 10_000 }),
  })
  .map(({ grows, ...rest }) => ({ ...rest, delayMsMax: rest.delayMsMin * grows }))
const attempts = fc.integer({ min: 1, max: 3000 })
const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test("there is a next attempt exactly as long as there are attempts left [13.2]", () => {
  const check = (...[of, failed, thrown]: Parameters<typeof retryDelayMs>) => {
    expect(retryDelayMs(of, failed, thrown) === undefined).toBe(failed >= of.attemptsMax)
  }
  fc.assert(fc.property(policy, attempts, dice, check))
})

test("after the last attempt there is none", () => {
  const three = { attemptsMax: 3, delayMsMin: 100, delayMsMax: 1000 }
  expect([1, 2, 3, 4].map((failed) => retryDelayMs(three, failed, 0))).toEqual([
    0,
    0,
    undefined,
    undefined,
  ])
})

test("a delay is whole milliseconds, below the policy's bound", () => {
  const check = (...[of, failed, thrown]: Parameters<typeof retryDelayMs>) => {
    const delayMs = retryDelayMs({ ...of, attemptsMax: Number.POSITIVE_INFINITY }, failed, thrown)
    expect(Number.isInteger(delayMs)).toBe(true)
    expect(delayMs).toBeGreaterThanOrEqual(0)
    expect(delayMs).toBeLessThan(of.delayMsMax)
  }
  fc.assert(fc.property(policy, attempts, dice, check))
})

test("the delay doubles up to its bound [13.2]", () => {
  const doubling = { attemptsMax: 9, delayMsMin: 100, delayMsMax: 1000 }
  const delays = [1, 2, 3, 4, 5, 6].map((failed) => retryDelayMs(doubling, failed, 0.5))
  expect(delays).toEqual([50, 100, 200, 400, 500, 500])
})
