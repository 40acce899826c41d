import { expect, test } from "vitest"
import { lastWords, shellWord } from "./shell-word.ts"

test("quotes only words that a shell would split or expand", () => {
  const names = ["agent/a-1.x", "a b", "it's", "$(x)", ""]
  expect(names.map(shellWord)).toEqual(["agent/a-1.x", "'a b'", `'it'\\''s'`, "'$(x)'", "''"])
})

test("a name that begins with a dash is not read as an option", () => {
  expect(lastWords("main", "a b")).toBe("main 'a b'")
  expect(lastWords("main", "-f")).toBe("-- main -f")
})
