import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { LandingId, Oid } from "../../../base/ids.ts"

type Waiting = { readonly id: LandingId; readonly worktree: string; readonly written: Oid }

/** A landing whose gate has passed, and that waits: the task's branch stands at its candidate. */
async function waiting(work: (it: LandingTest, at: Waiting) => Promise<void>) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  const worktree = repo.worktree("feat")
  const written = repo.commit({ "feat.txt": "feat" }, "A1", worktree)
  repo.commit({ "m.txt": "m" }, "M1")
  const id = it.submit({ branch: "feat", base: repo.tip("main~1") })
  const lock = join(repo.path, ".git/index.lock")
  it.onPoint = (point) => {
    if (point === "publishing: before") writeFileSync(lock, "")
  }
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "LOCKED" })
  expect(repo.tip("feat")).not.toBe(written)
  it.onPoint = () => {}
  rmSync(lock)
  await work(it, { id, worktree, written })
}

const refsOf = ({ repo }: LandingTest, commit: Oid) =>
  repo.git("for-each-ref", "--format=%(refname)", "--contains", commit, "refs/coppice/")

test("commits that landed under other ids are kept as landed, also on a second try [4.13]", async () => {
  await waiting(async (it, { id, written }) => {
    it.repo.commit({ "m2.txt": "m2" }, "M2")
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.history()).toEqual(["commit", "M1", "M2", "A1"])
    expect(refsOf(it, written)).toBe("refs/coppice/rescue/landed/1/1")
    expect(it.leftRefs()).toEqual(["refs/coppice/rescue/landed/1/1"])
  })
})

test("the agent's commits are rescued if it goes on from the candidate [4.6]", async () => {
  await waiting(async (it, { id, worktree, written }) => {
    it.repo.commit({ "more.txt": "more" }, "A2", worktree)
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.history()).toEqual(["commit", "M1", "A1", "A2"])
    expect(refsOf(it, written)).toBe("refs/coppice/rescue/1/1")
  })
})

test("commits that landed as one squashed commit are kept as landed [4.13]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  const side = repo.commit({ "b.txt": "b" }, "B1", repo.worktree("side"))
  repo.gitIn(worktree, "merge", "--quiet", "--no-ff", "-m", "merge", side)
  const written = repo.tip("feat")
  repo.commit({ "m.txt": "m" }, "M1")
  expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ outcome: "LANDED" })
  expect(refsOf(it, written)).toBe("refs/coppice/rescue/landed/1/1")
})
