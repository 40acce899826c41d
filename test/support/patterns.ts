/**
 * Lets a pattern in an expected value match a text.
 *
 * Without this, `toMatchObject({ text: /x/ })` passes for any text: a pattern has no properties to compare.
 */
import { expect } from "vitest"

expect.addEqualityTesters([
  (one, other) => {
    if (other instanceof RegExp && typeof one === "string") return other.test(one)
    if (one instanceof RegExp && typeof other === "string") return one.test(other)
    return undefined
  },
])
