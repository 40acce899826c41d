import fc from "fast-check"
import { expect, test } from "vitest"
import { planBudget } from "./disk-budget.ts"

const one = (name: string, ageMs: number, more: object = {}) => ({
  ...{ name, ageMs, bytes: 10, isSafe: true, isGoing: false },
  ...more,
})

test("the oldest safe ones go until the rest fits", () => {
  const all = [
    one("young", 1),
    one("old", 9),
    one("older", 10),
    one("unsafe", 99, { isSafe: false }),
  ]
  expect(planBudget(all, 20)).toEqual({ chosen: new Set(["older", "old"]), bytes: 40, isMet: true })
  expect(planBudget(all, 5)).toMatchObject({ isMet: false })
  expect(planBudget(all, undefined)).toMatchObject({ chosen: new Set(), isMet: true })
})

test("what is not safe is never chosen, nor more than is needed", () => {
  const item = fc.record({
    ageMs: fc.nat(20),
    bytes: fc.option(fc.nat(50)),
    isSafe: fc.boolean(),
    isGoing: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), fc.nat(200), (items, bytesMax) => {
      const all = items.map((facts, n) => ({ ...facts, name: String(n) }))
      const { chosen, isMet } = planBudget(all, bytesMax)
      const left = all.filter(({ name, isGoing }) => !isGoing && !chosen.has(name))
      const bytes = left.reduce((sum, one) => sum + (one.bytes ?? 0), 0)
      expect(isMet).toBe(bytes <= bytesMax)
      const taken = all.filter(({ name }) => chosen.has(name))
      expect(taken.every(({ isSafe }) => isSafe)).toBe(true)
      const largest = Math.max(...taken.map(({ bytes }) => bytes ?? 0))
      if (taken.length > 0) expect(bytes + largest).toBeGreaterThan(bytesMax)
      if (!isMet) expect(left.some(({ isSafe, bytes }) => isSafe && bytes)).toBe(false)
    }),
  )
})
