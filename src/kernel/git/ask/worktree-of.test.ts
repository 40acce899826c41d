import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { assertOwnGitDir } from "./worktree-of.ts"

const repo = new TestRepo()
const tree = repo.worktree("b")
repo.git("config", "extensions.worktreeConfig", "true")
afterAll(() => repo[Symbol.dispose]())

/** Whether git itself, and whether ours, takes the folder for the worktree. */
function look(config: string) {
  repo.write({ "config.worktree": config }, join(repo.path, ".git/worktrees/b"))
  const root = repo.gitIn(tree, "rev-parse", "--show-toplevel")
  const isOwn = () => {
    assertOwnGitDir(tree)
    return true
  }
  return { root, isOwn }
}

test.each([
  "[core]\n\tworktree = /",
  "\uFEFF[core]worktree=/",
  "[x][core] worktree = /",
  '[x "]="] [core]\tworktree=/',
  '[x "\r"][core]worktree=/',
  "\r[core]\r \rworktree=/",
  "[x]\n[y] [Core]\r\nWorkTree = /",
])("a linked worktree whose own configuration names another folder is none: %j", (config) => {
  const { root, isOwn } = look(config)
  expect(root).toBe("/")
  expect(isOwn).toThrow("is no longer a worktree")
})

test.each([
  "",
  "\uFEFF[core]\n# worktree = /\n",
  '[x]\n\ta = "worktree = /"\n[y "worktree=/"] b = c',
])("another configuration leaves it one: %j", (config) => {
  const { root, isOwn } = look(config)
  expect(root).toBe(tree)
  expect(isOwn()).toBe(true)
})
