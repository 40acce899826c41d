import { expect, test } from "vitest"
import { describePaths, groupPaths } from "./group-paths.ts"

test("paths are summed up by the deepest folder that holds all of one entry of the root", () => {
  expect(groupPaths([".venv/bin/a", "src/gen/x.ts", ".venv/lib/b", "a.lock"])).toEqual([
    { path: ".venv", count: 2 },
    { path: "src/gen/x.ts", count: 1 },
    { path: "a.lock", count: 1 },
  ])
  expect(groupPaths(["src/gen/a", "src/gen/b/c"])).toEqual([{ path: "src/gen", count: 2 }])
  expect(groupPaths(["src/gen", "src/gen/b"])).toEqual([{ path: "src/gen", count: 2 }])
})

test("a sentence names the largest groups and counts the rest", () => {
  expect(describePaths([".venv/a", ".venv/b", "x.lock"])).toBe("2 files in .venv, x.lock")
  expect(describePaths(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more")
})
