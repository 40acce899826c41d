import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { findOperation, givesUp, readOperation } from "./operation-in-progress.ts"
import { gitDir } from "./rev-parse.ts"

/** A linked worktree on `mine` that conflicts with `other`. */
function setUp(repo: TestRepo): string {
  repo.git("checkout", "--quiet", "-b", "other")
  repo.commit({ f: "2" })
  repo.git("checkout", "--quiet", "main")
  const path = repo.worktree("mine")
  repo.commit({ f: "3" }, "mine", path)
  return path
}

test.each([
  ["merge", ["merge", "other"], undefined],
  ["merge", ["merge", "--no-commit", "--no-ff", "-s", "ours", "other"], undefined],
  ["rebase", ["rebase", "other"], "refs/heads/mine"],
  ["rebase", ["rebase", "--apply", "other"], "refs/heads/mine"],
  ["cherry-pick", ["cherry-pick", "other"], undefined],
  ["revert", ["revert", "--no-commit", "HEAD"], undefined],
  ["bisect", ["bisect", "start"], "refs/heads/mine"],
] as const)("sees a %s in a linked worktree: %j", async (kind, args, branch) => {
  using repo = new TestRepo()
  const path = setUp(repo)
  expect(await findOperation(path)).toBeUndefined()
  try {
    repo.gitIn(path, ...args)
  } catch {
    // a conflict is what most of these are for
  }
  expect(await findOperation(path)).toBe(kind)
  expect(readOperation(await gitDir(path))).toEqual({ kind, branch })
  expect(await findOperation(repo.path)).toBeUndefined()
  repo.gitIn(path, ...givesUp(kind).split(" ").slice(1))
  expect(await findOperation(path), "after the command that a person reads").toBeUndefined()
})
