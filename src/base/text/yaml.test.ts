import { expect, test } from "vitest"
import { readYaml } from "./yaml.ts"

test.each([
  ["a: 1\nb: { c: 1, 'c': 2 }", "Map keys must be unique at line 2, column 12"],
  ["a: 1\nb: 1\na: 1", "Map keys must be unique at line 3, column 1"],
  ["a: [1\nb: 1", /^Flow sequence .* at line 2, column 1$/],
])("a mistake is named with its place: %j", (text, message) => {
  const read = readYaml(text)
  expect(read).toMatchObject({ kind: "invalid" })
  expect(read.kind === "invalid" && read.messages[0]).toEqual(message)
})

test("keys that only look alike are two", () => {
  expect(readYaml('1: a\n"1": b\nc: { 1: d }').kind).toBe("ok")
})
