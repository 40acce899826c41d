import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listOwnCommits } from "./list-refs.ts"

test("a tag whose commit is missing hides no other commit of the worktree", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("w")
  const head = repo.commit({ a: "a" }, "a", worktree)
  const own = repo.commit({ a: "b" }, "b", worktree)
  repo.gitIn(worktree, "update-ref", "refs/worktree/own", own)
  const gone = repo.commit({ a: "c" }, "c", worktree)
  repo.gitIn(worktree, "tag", "--annotate", "--message", "t", "t", gone)
  const tag = repo.gitIn(worktree, "rev-parse", "refs/tags/t")
  repo.gitIn(worktree, "update-ref", "refs/worktree/tag", tag)
  repo.gitIn(worktree, "update-ref", "refs/worktree/tree", `${own}^{tree}`)
  repo.gitIn(worktree, "tag", "--delete", "t")
  repo.gitIn(worktree, "reset", "--quiet", "--hard", head)
  const common = join(repo.path, ".git")
  rmSync(join(common, "objects", gone.slice(0, 2), gone.slice(2)))

  const commits = await listOwnCommits(repo.path, join(common, "worktrees", "w"))

  expect(commits.toSorted()).toEqual([head, own].toSorted())
})
