import { expect, test } from "vitest"
import { pathInside, worktreePath, worktreesFolder } from "./worktree-path.ts"

const PLACE = {
  repo: "/src/app",
  repoName: "app",
  worktreeDir: "../<repo>.worktrees",
  task: 7,
  title: "Fix the typo",
}

test("lies beside the repository, named after the task", () => {
  expect(worktreePath(PLACE)).toBe("/src/app.worktrees/7-fix-the-typo")
})

test("lies inside the repository, or anywhere absolute, where so configured", () => {
  expect(worktreePath({ ...PLACE, worktreeDir: ".worktrees" })).toBe(
    "/src/app/.worktrees/7-fix-the-typo",
  )
  expect(worktreePath({ ...PLACE, worktreeDir: "/fast/<repo>" })).toBe("/fast/app/7-fix-the-typo")
})

test("stays inside the worktrees folder whatever the title and the repository's name are", () => {
  for (const title of ["../../etc", "/etc", "..", "a".repeat(500), "\0", ""])
    expect(pathInside("/src/app.worktrees", worktreePath({ ...PLACE, title }))).toMatch(/^7[-\w]*$/)
  expect(worktreesFolder({ ...PLACE, repoName: "../../x" })).toBe("/src/x.worktrees")
  expect(worktreesFolder({ ...PLACE, repo: "/src/app.git", repoName: "app.git" })).toBe(
    "/src/app.worktrees",
  )
})

test("tells what lies inside a folder", () => {
  expect(pathInside("/a", "/a/b/c")).toBe("b/c")
  expect(pathInside("/a", "/a/..b")).toBe("..b")
  for (const path of ["/a", "/ab", "/", "/b/a"]) expect(pathInside("/a", path)).toBeUndefined()
})
