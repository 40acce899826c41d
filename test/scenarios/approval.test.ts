/** With approvals, exactly the commits that a person saw land. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { LandingId } from "../../src/base/ids.ts"
import { approve } from "../../src/kernel/tasks/actions/approve.ts"
import { reject } from "../../src/kernel/tasks/actions/reject.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

const LAND = { branch: "a", land: "approve" } as const

function workIn(repo: TestRepo): string {
  const worktree = repo.worktree("a")
  repo.commit({ a: "a" }, "A1", worktree)
  return worktree
}
const approved = (it: LandingTest, id: LandingId) => approve(it.context, it.task(id))
const states = (it: LandingTest, id: LandingId) => [it.task(id).state, it.landing(id).state]

test("an unapproved snapshot waits for a person, and lands once one approves it", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = workIn(repo)
  writeFileSync(join(worktree, "left.txt"), "left")
  const id = it.submit(LAND)
  await it.run(id)
  expect(states(it, id)).toEqual(["in_approval", "in_review"])
  const { head, base } = it.landing(id).repos[0]!
  expect([head, base]).toEqual([it.tip("a"), it.tip("main")]) // leftovers are shown as well
  expect(it.history()).toEqual(["commit"])

  approved(it, id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()).toMatchObject({ a: "a", "left.txt": "left" })
  expect(it.task(id).state).toBe("complete")
})

test.each(["a commit", "an edit"])(
  "%s that comes after the approval asks for a new one [11.1]",
  async (late) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const worktree = workIn(repo)
    const id = it.submit(LAND)
    await it.run(id)
    approved(it, id)
    if (late === "a commit") repo.commit({ late: "1" }, "late", worktree)
    else writeFileSync(join(worktree, "late"), "1")
    await it.run(id)
    expect(states(it, id)).toEqual(["in_approval", "in_review"])
    expect(it.landing(id).repos[0]?.head).toBe(it.tip("a"))
    expect(it.files()).not.toHaveProperty("late")

    approved(it, id)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(it.files()).toHaveProperty("late")
  },
)

test("a target that moves needs no new approval [11.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  workIn(repo)
  const id = it.submit(LAND)
  await it.run(id)
  repo.commit({ other: "1" }, "other")
  approved(it, id)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(it.history()).toEqual(["commit", "other", "A1"])
})

test("a candidate of approved commits needs no new approval, even if the landing has to wait", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: "true" })
  workIn(repo)
  const id = it.submit(LAND)
  await it.run(id)
  repo.commit({ other: "1" }, "other")
  approved(it, id)
  it.onPoint = (name) => {
    if (name === "gating: gate ran") repo.write({ a: "mine" })
  }
  expect(await it.run(id)).toMatchObject({ state: "waiting", outcome: "DIRTY_MAIN" })
  const { head, candidate } = it.landing(id).repos[0]!
  expect([it.tip("a"), candidate]).toEqual([candidate, expect.not.stringContaining(head!)])
  it.onPoint = () => {}
  repo.git("clean", "-fdq")
  it.wake(id)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(it.trace(id).filter((type) => type === "task.approval_requested")).toHaveLength(1)
})

test("without changes no person is asked [17.7]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.worktree("a")
  const id = it.submit(LAND)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
})

test("a repository that wants approvals gets them, whatever the task's mode", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { approve: true })
  workIn(repo)
  const id = it.submit({ branch: "a", land: "merge" })
  await it.run(id)
  expect(states(it, id)).toEqual(["in_approval", "in_review"])
})

test("a rejected commit is not approved by being there still", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  workIn(repo)
  const id = it.submit(LAND)
  await it.run(id)
  reject(it.context, it.task(id), { feedback: "no" })
  expect(states(it, id)).toEqual(["working", "handed_back"])
  it.resubmit(id)
  await it.run(id)
  expect(states(it, id)).toEqual(["in_approval", "in_review"])
})

test("a target that was moved back shows again the commits that it lost: they need a new approval [11.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const before = it.tip("main")
  repo.commit({ dropped: "1" }, "dropped")
  const worktree = workIn(repo)
  // The agent put its work on another beginning, which was on the target when it was seen.
  const id = it.submit({ ...LAND, base: repo.commit({ own: "1" }, "own", worktree) })
  repo.git("-C", worktree, "reset", "-q", "--hard", "HEAD~1")
  await it.run(id)
  expect(it.landing(id).repos[0]?.base).toBe(it.tip("main"))
  approved(it, id)
  repo.git("reset", "-q", "--hard", before)
  await it.run(id)
  expect(states(it, id)).toEqual(["in_approval", "in_review"])
  expect(it.landing(id).repos[0]?.base).toBe(before)
})

test.each(["the commits that its approval covers", "that there was nothing to approve"])(
  "a target that is moved back while the landing is queued changes %s [11.2]",
  async (before) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const old = it.tip("main")
    const worktree = workIn(repo)
    const id = it.submit({ ...LAND, base: old })
    repo.git("merge", "-q", "--ff-only", "a") // another user landed the same
    if (before.startsWith("the commits")) repo.commit({ more: "1" }, "A2", worktree)
    while (it.landing(id).state !== "queued") {
      if (it.landing(id).state === "in_review") approved(it, id)
      await it.step(id)
    }
    repo.git("reset", "-q", "--hard", old)
    await it.run(id)
    expect(states(it, id)).toEqual(["in_approval", "in_review"])
    expect(it.landing(id).repos[0]?.base).toBe(old)
    expect(it.history()).toEqual(["commit"])
  },
)
