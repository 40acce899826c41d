import { expect, test } from "vitest"
import { parseBytes } from "./bytes.ts"

test("sizes are whole numbers with a unit", () => {
  const texts = ["500MB", "20GB", "1 TiB", "2kb"]
  const bytes = [5e8, 2e10, 1024 ** 4, 2000]
  expect(texts.map(parseBytes)).toEqual(bytes.map((n) => ({ kind: "ok", bytes: n })))
  for (const wrong of ["20", "0GB", "-1GB", "1.5GB", "many", "9999999999TB"])
    expect(parseBytes(wrong), wrong).toMatchObject({ kind: "invalid" })
})
