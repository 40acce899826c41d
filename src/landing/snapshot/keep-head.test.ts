import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import type { LandingId } from "../../core/ids.ts"

/** A landing whose gate has passed, and that waits: the task's branch stands at its candidate. */
async function waiting(work: (it: LandingTest, id: LandingId, worktree: string) => Promise<void>) {
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
  await work(it, id, worktree)
  expect(repo.git("for-each-ref", "--contains", written)).toMatch(/refs\/coppice\/rescue\//)
}

test("what the agent wrote stays reachable when it lands on a second try", async () => {
  await waiting(async (it, id) => {
    it.repo.commit({ "m2.txt": "m2" }, "M2")
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.leftRefs()).toHaveLength(1)
  })
})

test("what the agent wrote is rescued when it goes on from the candidate", async () => {
  await waiting(async (it, id, worktree) => {
    it.repo.commit({ "more.txt": "more" }, "A2", worktree)
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
    expect(it.history()).toEqual(["commit", "M1", "A1", "A2"])
  })
})
