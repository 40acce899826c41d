import fc from "fast-check"
import { expect, test } from "vitest"
import { heldUntilMs, nextStartMs, type Timing, timingText } from "./rules.ts"

const at = (time: string) => Date.parse(time)
const iso = (ms: number) => new Date(ms).toISOString()
const timing = (some: Partial<Timing>): Timing => ({
  intervalMs: undefined,
  cron: undefined,
  timezone: "UTC",
  hours: undefined,
  ...some,
})
const MINUTE = 60_000

test.each([
  ["every weekday", "0 9 * * mon-fri", "UTC", "2026-05-29T09:00Z", "2026-06-01T09:00:00.000Z"],
  ["in a time zone", "0 9 * * *", "Asia/Tokyo", "2026-05-29T09:00Z", "2026-05-30T00:00:00.000Z"],
  [
    "before summer time",
    "0 9 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00Z",
    "2026-03-28T08:00:00.000Z",
  ],
  ["in summer time", "0 9 * * *", "Europe/Berlin", "2026-03-28T08:00Z", "2026-03-29T07:00:00.000Z"],
  [
    "in the hour that does not exist",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-03-28T20:00Z",
    "2026-03-29T01:00:00.000Z",
  ],
  [
    "once in the hour that comes twice",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-10-25T00:30Z",
    "2026-10-26T01:30:00.000Z",
  ],
  ["by nickname", "@monthly", "UTC", "2026-05-29T09:00Z", "2026-06-01T00:00:00.000Z"],
])("a pattern starts %s [40.2]", (_, cron, timezone, after, next) => {
  expect(iso(nextStartMs(timing({ cron, timezone }), at(after)))).toBe(next)
})

test("an interval keeps its ticks: missed ones count as one, and the next is on the old grid [40.3]", () => {
  const every = timing({ intervalMs: 5 * MINUTE })
  const dueMs = at("2026-05-29T09:00Z")
  expect(nextStartMs(every, dueMs)).toBe(dueMs + 5 * MINUTE)
  expect(nextStartMs(every, dueMs + 1, dueMs)).toBe(dueMs + 5 * MINUTE)
  expect(nextStartMs(every, dueMs + 17 * MINUTE, dueMs)).toBe(dueMs + 20 * MINUTE)
})

test("any next start is later than now, and within the running hours [40.4]", () => {
  const part = fc.integer({ min: 0, max: 23 })
  const two = (hour: number) => String(hour).padStart(2, "0")
  fc.assert(
    fc.property(
      part,
      part,
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 0, max: 400 * 24 * 60 }),
      fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"),
      (from, to, minutes, late, timezone) => {
        fc.pre(from !== to)
        const hours = `${two(from)}:00-${two(to)}:00`
        const some = timing({ intervalMs: minutes * MINUTE, timezone, hours })
        const nowMs = at("2026-01-01T00:00Z") + late * MINUTE
        const startMs = nextStartMs(some, nowMs)
        expect(startMs).toBeGreaterThan(nowMs)
        expect(heldUntilMs(some, startMs)).toBe(startMs)
        const hour = Number(
          new Intl.DateTimeFormat("en", {
            hour: "numeric",
            hourCycle: "h23",
            timeZone: timezone,
          }).format(startMs),
        )
        // The opening falls into the hour that a clock change leaves out: then it opens right after it.
        expect(from < to ? hour >= from && hour <= to : hour >= from || hour <= to).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})

test.each([
  ["before the opening", "2026-05-29T08:59Z", "2026-05-29T09:00:00.000Z"],
  ["at the opening", "2026-05-29T09:00Z", "2026-05-29T09:00:00.000Z"],
  ["inside", "2026-05-29T16:59:59Z", "2026-05-29T16:59:59.000Z"],
  ["at the end", "2026-05-29T17:00Z", "2026-05-30T09:00:00.000Z"],
])("running hours: %s [40.4]", (_, now, start) => {
  expect(iso(heldUntilMs(timing({ hours: "09:00-17:00" }), at(now)))).toBe(start)
})

test("running hours may go over midnight [40.4]", () => {
  const night = timing({ hours: "22:00-06:00" })
  expect(iso(heldUntilMs(night, at("2026-05-29T23:30Z")))).toBe("2026-05-29T23:30:00.000Z")
  expect(iso(heldUntilMs(night, at("2026-05-29T12:00Z")))).toBe("2026-05-29T22:00:00.000Z")
})

test("a timing is shown in words", () => {
  expect(timingText(timing({ intervalMs: 90 * MINUTE, timezone: undefined }))).toBe("every 90m")
  expect(timingText(timing({ cron: "@daily", hours: "09:00-17:00" }))).toBe(
    "@daily, 09:00-17:00 (UTC)",
  )
})
