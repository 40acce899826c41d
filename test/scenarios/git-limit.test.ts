/** A git that waits for ever is ended at its limit, and the landing goes on when the cause is gone. */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { GitTimeoutError, LIMITS } from "../../src/kernel/git/start/limits.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

const usual = { ...LIMITS }
Object.assign(LIMITS, { gitMs: 3_000 })
afterAll(() => Object.assign(LIMITS, usual))

test("where a pipe stands in the place of a file of git's, the landing says so, and lands later [12.10]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  const pipe = join(repo.path, ".git/info/exclude")
  rmSync(pipe, { force: true })
  execFileSync("mkfifo", [pipe])
  const told: unknown[] = []
  it.onRest = (error) => {
    told.push(error)
    rmSync(pipe, { force: true })
  }
  expect(await it.run(id)).toMatchObject({ state: "landed", attempts: 0 })
  expect(told).toEqual([expect.any(GitTimeoutError)])
  const [{ message, hints }] = told as [GitTimeoutError]
  expect(message).toMatch(/^git [a-z-]+ in .*\/feat was ended after its limit of 3 s$/)
  expect(hints[0]).toContain(`find '${worktree}' '${join(repo.path, ".git")}' -type p`)
  expect(it.history()).toEqual(["commit", "A1"])
})
