import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { deleteBranch } from "./branches.ts"

test("deletes a branch with its settings, and those of no other", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  for (const branch of ["a.b", "a+b"]) repo.git("branch", "--track", branch, "origin/main")
  const from = repo.tip("main")
  expect(await deleteBranch(repo.path, { branch: "a.b", from, reason: "landed" })).toEqual({
    kind: "moved",
  })
  const left = repo.git("config", "--name-only", "--get-regexp", "^branch")
  expect(left).toBe("branch.a+b.remote\nbranch.a+b.merge")
})

test("keeps a branch that has moved on, and its settings", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  repo.git("branch", "--track", "a", "origin/main")
  const late = repo.commit({ late: "late" })
  const from = repo.tip("a")
  repo.git("update-ref", "refs/heads/a", late)
  expect(await deleteBranch(repo.path, { branch: "a", from, reason: "landed" })).toEqual({
    kind: "stale",
    actual: late,
  })
  expect(repo.git("config", "branch.a.merge")).toBe("refs/heads/main")
})

test("a branch goes also while another git writes the configuration", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  repo.git("branch", "--track", "a", "origin/main")
  const from = repo.tip("a")
  const lock = join(repo.path, ".git/config.lock")
  writeFileSync(lock, "")
  const deleted = await deleteBranch(repo.path, { branch: "a", from, reason: "landed" })
  rmSync(lock)
  expect(deleted).toEqual({ kind: "moved" })
  expect(repo.git("for-each-ref", "refs/heads/a")).toBe("")
})
