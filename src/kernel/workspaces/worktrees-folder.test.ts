import { expect, test } from "vitest"
import { pathInside, worktreesFolder } from "./worktrees-folder.ts"

const PLACE = { repo: "/src/app", repoName: "app", worktreeDir: "../<repo>.worktrees" }

test("lies next to the repository, or in the configured place", () => {
  expect(worktreesFolder(PLACE)).toBe("/src/app.worktrees")
  expect(worktreesFolder({ ...PLACE, worktreeDir: ".worktrees" })).toBe("/src/app/.worktrees")
  expect(worktreesFolder({ ...PLACE, worktreeDir: "/fast/<repo>" })).toBe("/fast/app")
})

test("is named after the repository, whatever its name", () => {
  expect(worktreesFolder({ ...PLACE, repoName: "../../x" })).toBe("/src/x.worktrees")
  expect(worktreesFolder({ ...PLACE, repoName: ".." })).toBe("/src/app.worktrees")
  expect(worktreesFolder({ ...PLACE, repo: "/src/app.git", repoName: "app.git" })).toBe(
    "/src/app.worktrees",
  )
})

test("knows which paths are inside a folder", () => {
  expect(pathInside("/a", "/a/b/c")).toBe("b/c")
  expect(pathInside("/a", "/a/..b")).toBe("..b")
  for (const path of ["/a", "/ab", "/", "/b/a"]) expect(pathInside("/a", path)).toBeUndefined()
})
