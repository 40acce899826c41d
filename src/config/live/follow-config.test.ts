/** Rows follow the approved configuration. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Config } from "../config.ts"
import { followConfig } from "./follow-config.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const [first, second] = [{ name: "first" }, { name: "second" }] as unknown as [Config, Config]

function start(options: { readonly fails?: number } = {}) {
  const live = { current: first, isUnapproved: false }
  const clock = { ms: 1_000_000 }
  const applied: Config[] = []
  const errors: unknown[] = []
  let { fails = 0 } = options
  const stop = followConfig({
    live,
    nowMs: () => clock.ms,
    apply: (config) => {
      if (fails-- > 0) throw new Error("the disk is full")
      applied.push(config)
    },
    onError: (error) => errors.push(error),
  })
  return { live, clock, applied, errors, stop }
}

test("a configuration is applied at once, and again only when it has changed", () => {
  const { live, applied, stop } = start()
  vi.advanceTimersByTime(5_000)
  expect(applied).toEqual([first])
  live.current = second
  vi.advanceTimersByTime(5_000)
  expect(applied).toEqual([first, second])
  stop()
  live.current = first
  vi.advanceTimersByTime(5_000)
  expect(applied).toEqual([first, second])
})

test("one that no person has approved is not applied", () => {
  const { live, applied } = start()
  Object.assign(live, { current: second, isUnapproved: true })
  vi.advanceTimersByTime(5_000)
  expect(applied).toEqual([first])
})

test("a clock that is set back has it applied again, once", () => {
  const { clock, applied } = start()
  clock.ms -= 3_600_000
  vi.advanceTimersByTime(5_000)
  expect(applied).toEqual([first, first])
})

test("a full disk ends nothing: it is applied again until that succeeds", () => {
  const { applied, errors } = start({ fails: 2 })
  expect([applied, errors.length]).toEqual([[], 1])
  vi.advanceTimersByTime(5_000)
  expect([applied, errors.length]).toEqual([[first], 2])
})
