import { expect, test } from "vitest"
import { isAtLeast, readGitVersion } from "./version.ts"

test("reads the installed version", async () => {
  expect(isAtLeast(await readGitVersion(), 2, 38)).toBe(true)
})

test("compares versions by number", () => {
  expect(isAtLeast({ major: 2, minor: 39 }, 2, 45)).toBe(false)
  expect(isAtLeast({ major: 2, minor: 100 }, 2, 45)).toBe(true)
  expect(isAtLeast({ major: 3, minor: 0 }, 2, 45)).toBe(true)
})
