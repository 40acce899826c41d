import { expect, test } from "vitest"
import { closest } from "./suggest.ts"

const words = ["max_turns", "timeout", "gate", "ls", "home", "priority"]

test.each([
  ["max-turns", "max_turns"],
  ["maxTurns", "max_turns"],
  ["timout", "timeout"],
  ["gaet", "gate"],
  ["lst", "ls"],
  ["hom", "home"],
  ["prio", "priority"],
])("%s probably means %s", (slip, meant) => {
  expect(closest(slip, words)).toBe(meant)
})

test("a word far from all others has no suggestion", () => {
  for (const word of ["container", "x", "", "nope"]) expect(closest(word, words)).toBeUndefined()
})
