import assert from "node:assert/strict"
import { test } from "node:test"
import { capitalize } from "../src/capitalize.js"

test("the first letter becomes a capital", () => {
  assert.equal(capitalize("coppice"), "Coppice")
})
