import { expect, test } from "vitest"
import type { GitPath } from "../../../base/ids.ts"
import { gitPath } from "./git-path.ts"
import { pathspec } from "./pathspec.ts"

test("a pathspec takes special characters as they are", () => {
  expect(pathspec(gitPath("*.ü"))).toBe(":(top,literal)*.ü")
  expect(pathspec("a\xff*.txt" as GitPath)).toBe(":(top,glob)a?\\*.txt")
})
