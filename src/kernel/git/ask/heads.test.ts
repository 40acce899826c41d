import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef } from "../../../base/ids.ts"
import { isCheckedOutNowhere, isUnbornNowhere } from "./heads.ts"

test("a branch is nowhere only when no worktree has it, nor works on it", () => {
  using repo = new TestRepo()
  const [main, feat] = [branchRef("main"), branchRef("feat")]
  const at = () => [main, feat].map((ref) => isCheckedOutNowhere(repo.path, ref))
  expect(at()).toEqual([false, true])
  const worktree = repo.worktree("feat")
  expect(at()).toEqual([false, false])
  expect(isCheckedOutNowhere(worktree, main)).toBe(false)
  repo.git("checkout", "--quiet", "--detach")
  expect(at()).toEqual([true, false])
  repo.git("bisect", "start")
  expect(at()).toEqual([false, false])
  repo.git("bisect", "reset")
  expect(at()).toEqual([true, false])
  repo.gitIn(worktree, "checkout", "--quiet", "--detach")
  expect(at()).toEqual([true, true])
  mkdirSync(join(repo.path, ".git/worktrees/feat/rebase-merge"))
  expect(at()).toEqual([false, false])
})

test("a branch that stands for another is where that one is", () => {
  using repo = new TestRepo()
  repo.git("branch", "other")
  repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
  repo.git("checkout", "--quiet", "alias")
  expect(isCheckedOutNowhere(repo.path, branchRef("main"))).toBe(false)
  repo.git("checkout", "--quiet", "other")
  repo.git("pack-refs", "--all")
  expect(isCheckedOutNowhere(repo.path, branchRef("main"))).toBe(true)
})

test("a worktree on a branch that cannot be made, below one that is there, is on no other", () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.gitIn(worktree, "symbolic-ref", "HEAD", "refs/heads/main/below")
  repo.git("checkout", "--quiet", "--detach")
  expect(isCheckedOutNowhere(repo.path, branchRef("main"))).toBe(true)
})

test("a worktree's own ref may stand for a branch", () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.git("checkout", "--quiet", "--detach")
  repo.gitIn(worktree, "symbolic-ref", "refs/worktree/own", "refs/heads/main")
  repo.gitIn(worktree, "symbolic-ref", "HEAD", "refs/worktree/own")
  expect(repo.git("worktree", "list")).toContain("[main]")
  expect(isCheckedOutNowhere(repo.path, branchRef("main"))).toBe(false)
})

test("an unusual HEAD is left to git", () => {
  using repo = new TestRepo()
  const main = branchRef("main")
  const head = join(repo.path, ".git/HEAD")
  for (const text of ["", "ref: refs/heads/.invalid\n", "refs/heads/other\n"]) {
    writeFileSync(head, text)
    expect(isCheckedOutNowhere(repo.path, main)).toBe(false)
  }
  rmSync(head)
  symlinkSync("refs/heads/other", head)
  expect(isCheckedOutNowhere(repo.path, main)).toBe(false)
  rmSync(head)
  writeFileSync(head, "ref:\trefs/heads/other\n")
  expect(isCheckedOutNowhere(repo.path, main)).toBe(true)
  mkdirSync(join(repo.path, ".git/worktrees/half-made"), { recursive: true })
  expect(isCheckedOutNowhere(repo.path, main)).toBe(false)
  expect(isCheckedOutNowhere(join(repo.path, "nowhere"), main)).toBe(false)
})

test("a branch that does not exist is nowhere only when no HEAD names it, nor a rebase may", () => {
  using repo = new TestRepo()
  const ref = branchRef("agent/é")
  const worktree = repo.worktree("feat")
  expect(isUnbornNowhere(repo.path, ref)).toBe(true)
  repo.gitIn(worktree, "symbolic-ref", "HEAD", ref)
  expect(isUnbornNowhere(repo.path, ref)).toBe(false)
  repo.gitIn(worktree, "checkout", "--quiet", "--detach", "main")
  expect(isUnbornNowhere(repo.path, ref)).toBe(true)
  mkdirSync(join(repo.path, ".git/worktrees/feat/rebase-merge"))
  expect(isUnbornNowhere(repo.path, ref)).toBe(false)
  rmSync(join(repo.path, ".git/worktrees/feat/rebase-merge"), { recursive: true })
  const head = join(repo.path, ".git/HEAD")
  rmSync(head)
  symlinkSync(ref, head)
  expect(isUnbornNowhere(repo.path, ref)).toBe(false)
})
