import { expect, test } from "vitest"
import { safeName } from "./files.ts"

test.each(["漢".repeat(85), "𝒜".repeat(63), "é".repeat(127)])(
  "a name of the longest kind leaves room for a hash and a draft: case %#",
  (name) => {
    const kept = safeName(`${name}.png`)
    expect(Buffer.byteLength(`0123456789ab-${kept}.new`)).toBeLessThanOrEqual(255)
    expect(kept.endsWith(".png")).toBe(true)
    expect(kept.isWellFormed()).toBe(true)
  },
)
