import { expect, test } from "vitest"
import { closest } from "./suggest.ts"

const words = ["max_turns", "timeout", "gate", "ls"]

test.each([
  ["max-turns", "max_turns"],
  ["maxTurns", "max_turns"],
  ["timout", "timeout"],
  ["gaet", "gate"],
  ["lst", "ls"],
])("%s probably means %s", (slip, meant) => {
  expect(closest(slip, words)).toBe(meant)
})

test("what is far from everything means nothing", () => {
  expect([closest("container", words), closest("x", words), closest("", words)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
