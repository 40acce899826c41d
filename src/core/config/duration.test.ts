import { expect, test } from "vitest"
import { parseDuration } from "./duration.ts"

test.each([
  ["30s", 30_000],
  ["5m", 300_000],
  ["1h", 3_600_000],
  ["7d", 604_800_000],
])("C09: %s is %i ms", (text, ms) => {
  expect(parseDuration(text)).toEqual({ kind: "ok", ms })
})

test.each([
  ["0s", "longer than 0"],
  ["-1m", "negative"],
  ["1.5h", "not whole"],
  ["10", "no unit"],
  ["5w", "not a unit"],
  ["25d", "24d"],
  ["soon", "not a duration"],
  ["", "not a duration"],
])("C09: %s is refused: %s", (text, message) => {
  expect(parseDuration(text)).toMatchObject({
    kind: "invalid",
    message: expect.stringContaining(message),
  })
})
