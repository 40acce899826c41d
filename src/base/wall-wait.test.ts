import { expect, test } from "vitest"
import { goesOn } from "./wall-wait.ts"

test("a wait goes on from its beginning to its end, and a clock set back before it ends it [13.1]", () => {
  const wait = { fromMs: 100, untilMs: 200 }
  const goes = [99, 100, 199, 200].map((nowMs) => goesOn(wait, nowMs))
  expect(goes).toEqual([false, true, true, false])
})
