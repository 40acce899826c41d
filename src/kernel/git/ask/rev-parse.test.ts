import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { gitDir, readCommit, readTrees } from "./rev-parse.ts"

test("a commit has a name or does not exist", async () => {
  using repo = new TestRepo()
  expect(await readCommit(repo.path, "refs/heads/main")).toBe(repo.tip("main"))
  for (const name of ["refs/heads/none", "-x", "0".repeat(40), "1".repeat(40), "HEAD:README.md"])
    expect(await readCommit(repo.path, name), name).toBeUndefined()
})

test("commits have trees, in the order asked", async () => {
  using repo = new TestRepo()
  const commits = [repo.tip("main"), repo.commit({ a: "a" }), repo.tip("main~1")]
  const trees = commits.map((commit) => repo.tip(`${commit}^{tree}`))
  expect(await readTrees(repo.path, commits)).toEqual(trees)
  expect(new Set(trees).size).toBe(2)
})

test("a linked worktree has a git directory of its own", async () => {
  using repo = new TestRepo()
  const linked = repo.worktree("b")
  expect(await gitDir(linked)).toBe(join(repo.path, ".git/worktrees/b"))
})
