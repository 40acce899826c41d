import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findVersion, GIT_MIN, isAtLeast, NODE_MAJOR_MIN } from "./requirements.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

test("compares versions by number", () => {
  const least = { major: 2, minor: 45 }
  expect(isAtLeast({ major: 2, minor: 39 }, least)).toBe(false)
  expect(isAtLeast({ major: 1, minor: 99 }, least)).toBe(false)
  expect(isAtLeast(least, least)).toBe(true)
  expect(isAtLeast({ major: 2, minor: 100 }, least)).toBe(true)
  expect(isAtLeast({ major: 3, minor: 0 }, least)).toBe(true)
})

test("finds the version in what a program says", () => {
  expect(findVersion("git version 2.39.5 (Apple Git-154)\n")).toEqual({ major: 2, minor: 39 })
  expect(findVersion("no number")).toBeUndefined()
})

test("the launcher, the package and the README ask for the same", () => {
  expect(read("bin/coppice.js")).toContain(`NODE_MAJOR_MIN = ${NODE_MAJOR_MIN}\n`)
  expect(JSON.parse(read("package.json")).engines.node).toBe(`>=${NODE_MAJOR_MIN}`)
  const git = `git ${GIT_MIN.major}.${GIT_MIN.minor} or newer`
  expect(read("README.md")).toContain(`Node ${NODE_MAJOR_MIN} or newer, and ${git}`)
})
