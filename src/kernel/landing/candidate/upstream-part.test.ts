import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { recheckWait } from "../recheck-wait.ts"

/** An upstream with two commits that its branch here lacks; a worktree of a task on that branch. */
function start(repo: TestRepo): { readonly worktree: string; readonly upstream: string } {
  repo.addOrigin()
  repo.git("branch", "--set-upstream-to=origin/main")
  const worktree = repo.worktree("feat")
  repo.git("checkout", "--quiet", "--detach")
  repo.commit({ "u1.txt": "u" }, "U1")
  const upstream = repo.commit({ "u2.txt": "u" }, "U2")
  repo.git("push", "--quiet", "origin", "HEAD:main")
  repo.git("checkout", "--quiet", "main")
  return { worktree, upstream }
}

const WAYS = [
  ["merged", "merge"],
  ["rebased onto", "rebase"],
] as const

test.each(WAYS)(
  "work that %s its target's upstream waits until the target has those commits [2.16]",
  async (_, way) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: false })
    const base = repo.tip("main")
    const { worktree, upstream } = start(repo)
    repo.commit({ "a.txt": "a" }, "A1", worktree)
    repo.gitIn(worktree, way, "--quiet", "origin/main")
    repo.commit({ "m.txt": "m" }, "M1")
    const id = it.submit({ branch: "feat", base })
    expect(await it.run(id)).toMatchObject({
      state: "waiting",
      outcome: "UPSTREAM_APART",
      reason: expect.stringContaining("commits of origin/main that main lacks"),
    })
    const look = async () => {
      await recheckWait(it.context, id, new AbortController().signal)
      return it.landing(id).state
    }
    expect(await look()).toBe("waiting")
    repo.git("merge", "--quiet", "--no-edit", "origin/main")
    expect(await look()).toBe("snapshotting")
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(
      repo
        .git("log", "--format=%s", "main")
        .split("\n")
        .filter((one) => one === "U2"),
    ).toHaveLength(1)
    expect(repo.git("merge-base", upstream, "main")).toBe(upstream)
  },
)

test("work that took in its target's upstream lands at once on a target that has not moved [2.16]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const base = repo.tip("main")
  const { worktree, upstream } = start(repo)
  repo.gitIn(worktree, "merge", "--quiet", "origin/main")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  expect(await it.run(it.submit({ branch: "feat", base }))).toMatchObject({ state: "landed" })
  expect(repo.tip("main~1")).toBe(upstream)
})
