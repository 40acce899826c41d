import { expect, test } from "vitest"
import { computeExpiry } from "./rescue-expiry.ts"

const DAY_MS = 24 * 3_600_000
const BOUNDS = { ageMsMax: 90 * DAY_MS, countMax: 200, bytesMax: 1000 }
const rescue = (day: number, bytes: number | null = 0) => {
  return { ref: `r${day}`, atMs: day * DAY_MS, isIgnored: false, bytes }
}
const ignored = (day: number, bytes = 0) => ({ ...rescue(day, bytes), isIgnored: true })
const days = (rescues: ReturnType<typeof rescue>[], bounds: object = {}) =>
  [...computeExpiry(rescues, { ...BOUNDS, ...bounds })].map(([ref, { atMs, bound }]) => [
    ...[ref, atMs / DAY_MS, bound],
  ])

test("a rescue goes when it is old enough", () => {
  expect(days([rescue(1), rescue(2)])).toEqual([
    ["r2", 92, "max_age"],
    ["r1", 91, "max_age"],
  ])
})

test("of too many, or too large ones, the oldest go, and none within its first week", () => {
  expect(days([rescue(1), rescue(2), rescue(3)], { countMax: 1 })).toEqual([
    ["r3", 93, "max_age"],
    ["r2", 9, "max_count"],
    ["r1", 8, "max_count"],
  ])
  expect(days([rescue(1, 10), rescue(2, 600), rescue(3, 600)])).toEqual([
    ["r3", 93, "max_age"],
    ["r2", 9, "max_size"],
    ["r1", 8, "max_size"],
  ])
  expect(days([rescue(1)], { ageMsMax: 1 })).toEqual([["r1", 8, "max_age"]])
})

test("rescues of ignored files take no place of work, however new, many or large they are [4.20]", () => {
  const work = ["r1", 91, "max_age"]
  expect(days([rescue(1), ignored(2), ignored(3)], { countMax: 2 })).toEqual([
    work,
    ["r3", 93, "max_age"],
    ["r2", 9, "max_count"],
  ])
  expect(days([rescue(1, 600), ignored(2, 600)])).toEqual([work, ["r2", 9, "max_size"]])
})
