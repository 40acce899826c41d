/** Where new work starts in a partial clone, whose fetches bring commits without files. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { ObjectsMissingError } from "../../git/ask/errors.ts"
import { findRepository } from "../../git/ask/repository.ts"
import { fillWorktree } from "./fill-worktree.ts"
import { readFreshBase } from "./fresh-base.ts"

/** A partial clone that has fetched one commit more than its branch has. */
function partialClone(repo: TestRepo): string {
  const path = join(repo.folder, "partial")
  repo.git("config", "uploadpack.allowFilter", "true")
  repo.git("clone", "--quiet", "--filter=blob:none", `file://${repo.path}`, path)
  repo.commit({ "more.txt": "more\n" }, "M1")
  repo.gitIn(path, "fetch", "--quiet")
  return path
}

test("work in a partial clone starts from the local target, whose files are here [25.18]", async () => {
  using repo = new TestRepo()
  const path = partialClone(repo)
  const { signal } = new AbortController()
  const request = { target: "main", fetch: false, signal }
  const repository = (await findRepository(path))!
  const base = await readFreshBase(repository, request)
  expect(base.commit).toBe(repo.gitIn(path, "rev-parse", "main"))
  expect(base.notices).toEqual([expect.stringContaining("partial clone")])

  repo.gitIn(path, "pull", "--quiet")
  expect(await readFreshBase(repository, request)).toMatchObject({
    commit: repo.tip("main"),
    notices: [],
  })
})

test("a target without its files is named as the cause, with the command that fetches them", async () => {
  using repo = new TestRepo()
  const path = partialClone(repo)
  const head = repo.gitIn(path, "rev-parse", "origin/main") as Oid
  const worktree = join(repo.folder, "worktree")
  repo.gitIn(path, "worktree", "add", "--quiet", "--no-checkout", "--detach", worktree, head)
  const filled = fillWorktree(worktree, head, { checkout: [] })
  await expect(filled).rejects.toThrow(ObjectsMissingError)
  await expect(filled).rejects.toThrow("fetch --refetch --no-filter")
})
