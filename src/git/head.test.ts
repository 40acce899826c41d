import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { readHead } from "./head.ts"

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
