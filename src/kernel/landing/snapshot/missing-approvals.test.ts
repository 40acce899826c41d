/** An approval covers the commits that its approver saw, and so the candidate that is made of them. */
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { addApproval, listApprovals } from "../rows/approvals.ts"

test("a candidate is approved only by those who saw all commits that it is made of [11.1]", async () => {
  using repo = new TestRepo()
  await using fleet = new LandingTest(repo, { approve: true })
  const base = fleet.tip("main")
  const worktree = repo.worktree("agent/1")
  const later = repo.commit({ "one.txt": "1\n" }, "one", worktree)
  const head = repo.commit({ "two.txt": "2\n" }, "two", worktree)
  repo.commit({ "others.txt": "others\n" }, "another's")
  const id = fleet.submit({ branch: "agent/1", worktree, base })
  const { task } = fleet.landing(id)
  const approval = { task, name: "app", head }
  addApproval(fleet.db, { ...approval, base }, fleet.nowMs)
  addApproval(fleet.db, { ...approval, base, approver: "critic" }, fleet.nowMs)
  addApproval(fleet.db, { ...approval, base: later, approver: "hasty" }, fleet.nowMs)
  const { state, repos } = await fleet.run(id)
  const candidate = repos[0]?.candidate as Oid
  expect([state, candidate === head]).toEqual(["landed", false])
  const approvers = listApprovals(fleet.db, { ...approval, head: candidate })
  expect(approvers.map(({ approver }) => approver).sort()).toEqual(["", "critic"])
})

test("work that lands as it is gets no approval of the commits below it [11.1]", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  await using fleet = new LandingTest(repo, { approve: true })
  const before = fleet.tip("main")
  const base = repo.commit({ "others.txt": "others\n" }, "another's") as Oid
  repo.git("push", "--quiet", "--set-upstream", "origin", "main")
  repo.git("reset", "--quiet", "--hard", before)
  const worktree = repo.worktree("agent/1", base)
  const head = repo.commit({ "work.txt": "work\n" }, "the work", worktree) as Oid
  const id = fleet.submit({ branch: "agent/1", worktree, base })
  const approval = { task: fleet.landing(id).task, name: "app", head }
  addApproval(fleet.db, { ...approval, base }, fleet.nowMs)
  expect(await fleet.run(id)).toMatchObject({ state: "landed", repos: [{ candidate: head }] })
  expect(listApprovals(fleet.db, approval)).toEqual([{ approver: "", base }])
})

test("a commit and its revert are judged as the landing replays them: others may have landed the commit [11.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false, approve: true })
  const base = it.tip("main")
  repo.commit({ "fix.txt": "a fix\n" }, "Fix")
  const worktree = repo.worktree("work", base)
  repo.gitIn(worktree, "cherry-pick", "-x", "main")
  repo.gitIn(worktree, "revert", "--no-edit", "HEAD")
  const landing = await it.run(it.submit({ branch: "work", worktree, base }))
  expect(landing).toMatchObject({ state: "in_review" })
  expect(it.files()).toMatchObject({ "fix.txt": "a fix" })
})
