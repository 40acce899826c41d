/** Refs that keep what nothing else does are bounded, and nothing young or needed is among what goes. */
import { expect, test } from "vitest"
import type { RefName, TaskId } from "../../src/base/ids.ts"
import { rescueCommit } from "../../src/kernel/workspaces/rescue/rescue.ts"
import { CleanupTest, DAY_MS, HOME } from "../support/cleanup.ts"

const { of } = CleanupTest

async function rescued(it: CleanupTest, task: number, text: string) {
  const commit = it.repo.commit({ [text]: text }, text)
  it.repo.git("reset", "-q", "--hard", "HEAD~1")
  const owner = { home: HOME, task: task as TaskId }
  const made = await rescueCommit(it.repo.path, commit, {
    owner,
    safeCommits: [],
    reason: "a test",
  })
  return { ref: made!.ref as RefName, commit }
}

test("the oldest rescues go, after an event with the commit of each; none within its first week [4.10, 4.11]", async () => {
  await using it = new CleanupTest()
  it.configure({ rescue: { max_count: 1, max_age: "30d" } })
  const first = await rescued(it, 1, "first")
  const other = await rescueCommit(it.repo.path, first.commit, {
    owner: { home: "another home", task: 1 as TaskId },
    safeCommits: [],
    reason: "a test",
  })
  const second = await rescued(it, 1, "second")
  it.nowMs += 6 * DAY_MS
  await it.collect()
  expect(it.repo.tip(first.ref)).toBe(first.commit)
  it.nowMs += 2 * DAY_MS
  const done = await it.collect()
  const why = "it is beyond `maintenance.rescue.max_count`"
  expect(of(done, first.ref)).toMatchObject({ kind: "rescue", outcome: "removed", why })
  expect(
    it.repo.git("for-each-ref", "--format=%(refname)", "refs/coppice/rescue").split("\n"),
  ).toEqual([...[second.ref, other!.ref].sort()])
  expect(it.told("rescue.expired")).toEqual([
    { repo: it.repo.path, ref: first.ref, commit: first.commit, bound: "max_count" },
  ])
  it.nowMs += 30 * DAY_MS
  expect(of(await it.collect(), second.ref)).toMatchObject({ outcome: "removed" })
})

test("a rescue without git's log goes by the time when it was first seen", async () => {
  await using it = new CleanupTest()
  const { ref } = await rescued(it, 1, "forgotten")
  it.repo.git("reflog", "expire", "--expire=all", ref)
  expect((await it.collect()).repos[0]?.items).toEqual([])
  it.nowMs += 89 * DAY_MS
  expect((await it.collect()).repos[0]?.items).toEqual([])
  it.nowMs += 2 * DAY_MS
  expect(of(await it.collect(), ref)).toMatchObject({ outcome: "removed" })
})

test("commits that a landing kept go when its task is over, or become a rescue if nothing else has them [4.12]", async () => {
  await using it = new CleanupTest()
  const [over, going] = [await it.worktree(), await it.worktree({ state: "merging" })]
  const lost = await rescued(it, 99, "lost")
  it.repo.git("update-ref", "-d", lost.ref)
  const refs = { head: lost.commit, candidate: it.repo.tip("main") }
  for (const [kept, commit] of Object.entries(refs))
    for (const { task } of [over, going])
      it.repo.git("update-ref", `refs/coppice/${task}/${kept}`, commit)
  const done = await it.collect()
  const [rescue] = of(done, `refs/coppice/${over.task}/head`).rescued
  expect(it.repo.tip(rescue!)).toBe(lost.commit)
  expect(of(done, `refs/coppice/${over.task}/candidate`)).toMatchObject({ rescued: [] })
  expect(it.repo.git("for-each-ref", "--format=%(refname)", `refs/coppice/${over.task}`)).toBe("")
  expect(it.repo.tip(`refs/coppice/${going.task}/head`)).toBe(lost.commit)
})
