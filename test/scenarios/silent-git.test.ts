/** A git that waits for ever is ended, and the landing goes on when what it waited for is taken away. */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { GitSilentError, PATIENCE } from "../../src/git/silence.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

const patient = { ...PATIENCE }
Object.assign(PATIENCE, { lookMs: 50, looksMax: 3 })
afterAll(() => Object.assign(PATIENCE, patient))

test("law 12: where a pipe stands in the place of a file of git's, the landing says so, and lands later", async () => {
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
  expect(told).toEqual([expect.any(GitSilentError)])
  const [{ message, hints }] = told as [GitSilentError]
  expect(message).toMatch(/^git [a-z-]+ in .*\/feat did nothing for 0 s, and was ended$/)
  expect(hints[0]).toContain(`find '${worktree}' '${join(repo.path, ".git")}' -type p`)
  expect(it.history()).toEqual(["commit", "A1"])
})
