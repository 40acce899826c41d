import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listWorktrees } from "../ask/worktree-list.ts"
import { resetTree } from "./read-tree.ts"
import { addExistingBranch, addWorktree, disableSparse } from "./worktree-add.ts"
import { removeWorktree } from "./worktree-remove.ts"

test("adds worktrees without the config lock, from a remote branch's commit too", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  writeFileSync(join(repo.path, ".git/config.lock"), "") // as if another git were writing it
  const start = repo.tip("origin/main")
  const [path, again, detached] = ["w 1", "w2", "w3"].map((name) => join(repo.folder, name)) as [
    string,
    string,
    string,
  ]

  repo.git("branch", "job/1", start)
  await addWorktree(repo.path, { path, branch: "job/1" })
  repo.git("branch", "old")
  await addExistingBranch(repo.path, { path: again, branch: "old" })
  repo.git("worktree", "add", "--quiet", "--detach", detached, start)

  expect(await resetTree(path, start)).toEqual({ kind: "done" })
  expect(repo.gitIn(path, "status", "--porcelain", "--branch")).toBe("## job/1")
  const base = { head: start, bare: false, locked: undefined, prunable: false, detached: false }
  const dir = (id: string) => join(repo.path, ".git/worktrees", id)
  expect(await listWorktrees(path)).toEqual([
    { ...base, path: repo.path, branch: "refs/heads/main", gitDir: join(repo.path, ".git") },
    { ...base, path, branch: "refs/heads/job/1", gitDir: dir("w-1") },
    { ...base, path: again, branch: "refs/heads/old", gitDir: dir("w2") },
    { ...base, path: detached, branch: undefined, detached: true, gitDir: dir("w3") },
  ])
})

test("refuses a branch that is checked out or does not exist", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  repo.git("update-ref", "refs/remotes/origin/theirs", "main")
  const path = join(repo.folder, "w")
  for (const branch of ["main", "none", "theirs"])
    await expect(addExistingBranch(repo.path, { path, branch }), branch).rejects.toMatchObject({
      code: "git.failed",
    })
  expect(existsSync(path)).toBe(false)
})

test("twenty at once, and their removal, without a failure", async () => {
  using repo = new TestRepo()
  const start = repo.tip("main")
  const paths = Array.from({ length: 20 }, (_, n) => join(repo.folder, `w${n}`))
  for (const [n, path] of paths.entries()) {
    repo.git("branch", `b${n}`, start)
    await addWorktree(repo.path, { path, branch: `b${n}` })
  }
  await Promise.all(paths.map((path) => resetTree(path, start)))
  for (const path of paths) {
    rmSync(path, { recursive: true })
    await removeWorktree(repo.path, path)
  }
  expect(await listWorktrees(repo.path)).toHaveLength(1)
})

test("a new worktree is whole although the main one is sparse, which it stays", async () => {
  using repo = new TestRepo()
  const start = repo.commit({ "in/a": "a", "out/b": "b" })
  repo.git("sparse-checkout", "set", "in")
  const path = join(repo.folder, "w")
  repo.git("branch", "w", start)
  await addWorktree(repo.path, { path, branch: "w" })

  expect(await disableSparse(path)).toBe(true)
  await resetTree(path, start)

  expect(existsSync(join(path, "out/b"))).toBe(true)
  expect(repo.gitIn(path, "status", "--porcelain")).toBe("")
  expect(existsSync(join(repo.path, "out/b"))).toBe(false)
  expect(await disableSparse(path)).toBe(false)
})
