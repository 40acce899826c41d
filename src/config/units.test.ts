import { expect, test } from "vitest"
import { parseBytes, parseDuration } from "./units.ts"

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

test("sizes are whole numbers with a unit", () => {
  const texts = ["500MB", "20GB", "1 TiB", "2kb"]
  const bytes = [5e8, 2e10, 1024 ** 4, 2000]
  expect(texts.map(parseBytes)).toEqual(bytes.map((n) => ({ kind: "ok", bytes: n })))
  for (const wrong of ["20", "0GB", "-1GB", "1.5GB", "many", "9999999999TB"])
    expect(parseBytes(wrong), wrong).toMatchObject({ kind: "invalid" })
})
