import assert from "node:assert/strict"
import { test } from "node:test"
import { countWords } from "../src/words.js"

test("words are counted", () => {
  assert.equal(countWords("one two three"), 3)
})
