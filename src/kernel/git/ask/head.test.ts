import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { RefName } from "../../../base/ids.ts"
import { readAlias, readHead } from "./head.ts"

test("HEAD is a branch, a commit, or a branch to be born", async () => {
  using repo = new TestRepo({ branch: "a/b" })
  const commit = repo.tip("HEAD")
  expect(await readHead(repo.path)).toEqual({ kind: "branch", ref: "refs/heads/a/b", commit })
  repo.git("checkout", "--quiet", "--detach")
  expect(await readHead(repo.path)).toEqual({ kind: "detached", commit })
  repo.git("checkout", "--quiet", "--orphan", "new")
  expect(await readHead(repo.path)).toEqual({
    kind: "branch",
    ref: "refs/heads/new",
    commit: undefined,
  })
})

test("HEAD of a linked worktree, of a packed branch, and where a branch stands for another", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("w")
  const commit = repo.commit({ a: "a" }, "a", worktree)
  repo.git("pack-refs", "--all")
  expect(await readHead(worktree)).toEqual({ kind: "branch", ref: "refs/heads/w", commit })
  repo.git("symbolic-ref", "refs/heads/old", "refs/heads/w")
  repo.gitIn(worktree, "symbolic-ref", "HEAD", "refs/heads/old")
  expect(await readHead(worktree)).toEqual({ kind: "branch", ref: "refs/heads/w", commit })
  repo.gitIn(worktree, "update-ref", "refs/worktree/own", "HEAD")
  repo.gitIn(worktree, "symbolic-ref", "HEAD", "refs/worktree/own")
  expect(await readHead(worktree)).toMatchObject({ ref: "refs/worktree/own", commit })
})

test("readAlias names the target of a symbolic branch, also if its file is a link", async () => {
  using repo = new TestRepo()
  const [main, old] = ["refs/heads/main", "refs/heads/old"] as RefName[]
  expect(await readAlias(repo.path, main!)).toBe(undefined)
  expect(await readAlias(repo.path, old!)).toBe(undefined)
  repo.git("-c", "core.preferSymlinkRefs=true", "symbolic-ref", old!, main!)
  expect(await readAlias(repo.path, old!)).toBe(main)
})
