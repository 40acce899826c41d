/** Clean-up removes some worktrees, and never others. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { addPoolEntry } from "../../src/features/pool/rows/record.ts"
import { recordRemoved } from "../../src/kernel/tasks/rows/task-repos/removal.ts"
import { markMade } from "../../src/kernel/workspaces/made-here.ts"
import { addTrash } from "../../src/kernel/workspaces/rows/trash.ts"
import { forgetWorktree, recordWorktree } from "../../src/kernel/workspaces/rows/worktrees.ts"
import { CleanupTest, DAY_MS, HOME } from "../support/cleanup.ts"

const { of } = CleanupTest

/** A worktree that no task has, as pools make them. */
async function idleWorktree(it: CleanupTest, n: number): Promise<string> {
  const path = join(it.folder, `pool-${n}`)
  it.repo.git("worktree", "add", "--quiet", "--detach", path, "main")
  markMade(it.repo.gitIn(path, "rev-parse", "--absolute-git-dir"))
  const { path: repo } = it.repo
  recordWorktree(it.db, { path, repo, purpose: "task", task: null, branch: null })
  return path
}

test("L16: of three orphans the dirty one is kept and listed, the others are gone [33.1]", async () => {
  await using it = new CleanupTest()
  const [clean, dirty, other] = [
    await it.worktree({ state: "none" }),
    await it.worktree({ state: "none" }),
    await it.worktree({ state: "none" }),
  ]
  it.repo.write({ "work.txt": "w" }, dirty.worktree)
  const plan = await it.plan()
  expect(existsSync(clean.worktree)).toBe(true)
  const done = await it.collect()
  expect(done.repos[0]?.items.map(({ name, action }) => [name, action])).toEqual(
    plan.repos[0]?.items.map(({ name, action }) => [name, action]),
  )
  for (const { worktree, branch } of [clean, other]) {
    expect(of(done, worktree)).toMatchObject({ outcome: "removed", rescued: [] })
    expect(existsSync(worktree)).toBe(false)
    expect(it.repo.git("branch", "--list", branch!)).toBe("")
  }
  const why = "1 file is in no commit"
  expect(of(done, dirty.worktree)).toMatchObject({ action: "keep", why, outcome: null })
  expect(existsSync(join(dirty.worktree, "work.txt"))).toBe(true)
  expect(it.report.problems).toEqual([`${dirty.worktree} is kept: ${why}.`])
  expect(it.events().filter((type) => type !== "task.created")).toEqual([
    ...["worktree.cleaned", "worktree.cleaned", "maintenance.done"],
  ])
})

test("L19: a finished task's worktree goes by age if the target has its work, else if the settings say so [33.1]", async () => {
  await using it = new CleanupTest()
  const merged = await it.worktree()
  const unmerged = await it.worktree()
  const own = it.repo.commit({ "own.txt": "o" }, "OWN", unmerged.worktree)
  const active = await it.worktree({ state: "merge_failed" })
  expect((await it.plan()).repos[0]?.items.map(({ action }) => action)).not.toContain("remove")
  it.nowMs += 8 * DAY_MS
  let done = await it.collect()
  expect(of(done, merged.worktree)).toMatchObject({ outcome: "removed" })
  expect(of(done, unmerged.worktree)).toMatchObject({
    action: "keep",
    why: "it has commits that the target does not have",
  })
  expect(of(done, active.worktree)).toMatchObject({ action: "keep", why: "its task is not over" })

  it.configure({ worktree_cleanup: { prune_unmerged_branches: true } })
  done = await it.collect()
  const [ref] = of(done, unmerged.worktree).rescued
  expect(it.repo.tip(ref!)).toBe(own)
  expect(existsSync(unmerged.worktree)).toBe(false)
  expect(existsSync(active.worktree)).toBe(true)
  expect(it.events()).toContain("rescue.made")
})

test("L12: leftovers of an unrecorded set-up stay for a task that goes on, and otherwise go [33.1]", async () => {
  await using it = new CleanupTest()
  const going = await it.worktree({ state: "working", unrecorded: true })
  const over = await it.worktree({ unrecorded: true })
  const done = await it.collect()
  expect(of(done, going.worktree)).toMatchObject({ action: "keep", why: "its task is not over" })
  expect(of(done, over.worktree)).toMatchObject({ outcome: "removed" })
})

test("an outdated plan is not carried out: a task that has taken the worktree since keeps it [33.3]", async () => {
  await using it = new CleanupTest()
  const { worktree } = await it.worktree({ state: "none" })
  it.onPoint = (name) => {
    if (name === "cleanup: planned") it.repo.write({ "late.txt": "l" }, worktree)
  }
  const done = await it.collect()
  expect(of(done, worktree)).toMatchObject({
    action: "remove",
    outcome: "kept",
    note: "1 file is in no commit",
  })
  expect(existsSync(join(worktree, "late.txt"))).toBe(true)
})

test("worktrees of a person or another home are not even listed; a branch that is a target stays", async () => {
  await using it = new CleanupTest()
  const mine = it.repo.worktree("mine")
  it.repo.git("checkout", "-q", "--detach")
  const { worktree } = await it.worktree({ state: "none" })
  it.repo.gitIn(worktree, "checkout", "-q", "main")
  const done = await it.collect()
  expect(done.repos[0]?.items.map(({ name }) => name)).toEqual([worktree])
  expect(of(done, worktree)).toMatchObject({ outcome: "removed" })
  expect(it.repo.git("branch", "--list", "main")).not.toBe("")
  expect(existsSync(mine)).toBe(true)
})

test("missing worktrees are forgotten, those that git does not know are listed, and trash is deleted", async () => {
  await using it = new CleanupTest()
  const gone = await it.worktree()
  const lost = await it.worktree({ state: "none" })
  const admin = it.repo.gitIn(lost.worktree, "rev-parse", "--absolute-git-dir")
  rmSync(admin, { recursive: true })
  rmSync(gone.worktree, { recursive: true })
  it.repo.git("worktree", "prune", "--expire=now")
  const trash = join(it.folder, "x.coppice-trash-0123456789ab")
  mkdirSync(join(trash, "deep"), { recursive: true })
  addTrash(it.db, { path: trash, repo: it.repo.path })
  const done = await it.collect()
  expect(of(done, gone.worktree)).toMatchObject({ kind: "record", outcome: "removed" })
  expect(of(done, lost.worktree)).toMatchObject({ kind: "folder", action: "keep" })
  expect(of(done, trash)).toMatchObject({ kind: "trash", outcome: "removed" })
  expect(existsSync(trash)).toBe(false)
  expect(existsSync(lost.worktree)).toBe(true)
  expect((await it.plan()).repos[0]?.items.map(({ kind }) => kind)).toEqual(["folder"])
})

test("a worktree that a person asked to keep is that person's, whatever it holds", async () => {
  await using it = new CleanupTest()
  const { worktree } = await it.worktree({ state: "none" })
  expect(of(await it.plan(), worktree).action).toBe("remove")
  forgetWorktree(it.db, worktree)
  expect((await it.collect()).repos[0]?.items).toEqual([])
  expect(existsSync(worktree)).toBe(true)
})

test("`workspace.keep` ends at max_worktree_age, and a task that is not over does not", async () => {
  await using it = new CleanupTest()
  it.configure({}, { keep: "on_failure" })
  const [cancelled, paused] = [
    await it.worktree({ state: "cancelled" }),
    await it.worktree({ state: "paused" }),
  ]
  it.nowMs += 6 * DAY_MS
  const young = await it.collect()
  expect(of(young, cancelled.worktree).why).toBe("`workspace.keep` of claude is `on_failure`")
  it.nowMs += 93 * DAY_MS
  const old = await it.collect()
  expect(of(old, cancelled.worktree).why).toBe("older than max_worktree_age, and kept until then")
  expect(of(old, paused.worktree).why).toBe("its task is not over")
  const left = [cancelled, paused].map(({ worktree }) => existsSync(worktree))
  expect(left).toEqual([false, true])
})

test("L16: a worktree that its pool has lost goes if nothing of it is missing elsewhere; worktrees of a pool stay [33.4]", async () => {
  await using it = new CleanupTest()
  const paths: string[] = []
  for (const n of [1, 2, 3, 4, 5, 6]) paths.push(await idleWorktree(it, n))
  const [lost, pools, edited, ahead, onBranch, merged] = paths
  const place = { path: pools!, repo: it.repo.path, folder: it.folder }
  addPoolEntry(it.db, { ...place, state: "filling", task: null, since: it.nowMs })
  it.repo.write({ "work.txt": "w" }, edited!)
  it.repo.commit({ "own.txt": "o" }, "OWN", ahead!)
  it.repo.gitIn(onBranch!, "switch", "--quiet", "-c", "mine")
  it.repo.commit({ "same.txt": "s" }, "SAME", merged!)
  it.repo.commit({ "same.txt": "s", "more.txt": "m" }, "SQUASHED")

  const done = await it.collect()
  expect(of(done, lost!)).toMatchObject({ outcome: "removed", task: null, rescued: [] })
  expect(of(done, pools!)).toMatchObject({ action: "keep", why: expect.stringContaining("pool") })
  expect(of(done, merged!)).toMatchObject({ outcome: "removed" })
  const kept = [edited!, ahead!, onBranch!]
  for (const path of kept) expect(of(done, path)).toMatchObject({ action: "keep" })
  expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, true, true, false])
  expect(it.report.problems).toHaveLength(kept.length)
})

test("a forged mark of ours makes no person's worktree ours [33.4]", async () => {
  await using it = new CleanupTest()
  const { worktree } = await it.worktree({ state: "none" })
  const persons = it.repo.worktree("persons")
  it.repo.write({ ".env": "secret" }, persons)
  const own = it.repo.gitIn(persons, "rev-parse", "--absolute-git-dir")
  writeFileSync(join(own, "coppice.json"), JSON.stringify({ home: HOME, task: 999 }))
  const done = await it.collect()
  expect(done.repos[0]?.items.map(({ name }) => name)).toEqual([worktree])
  expect(existsSync(join(persons, ".env"))).toBe(true)
})

test("a folder that only has the name of trash is a person's [33.4]", async () => {
  await using it = new CleanupTest()
  const persons = join(it.folder, "mine.coppice-trash-0123456789ab")
  it.repo.write({ "mine.txt": "mine" }, persons)
  await it.worktree()
  await it.collect()
  expect(existsSync(join(persons, "mine.txt"))).toBe(true)
})

test("a branch that a late commit keeps after its task is named, with the commands, until it is gone [33.6]", async () => {
  await using it = new CleanupTest()
  const { task, branch, worktree } = await it.worktree({ state: "cancelled" })
  it.repo.write({ "late.txt": "late" }, worktree)
  it.repo.gitIn(worktree, "add", "-A")
  it.repo.gitIn(worktree, "commit", "-qm", "late")
  it.repo.git("worktree", "remove", worktree)
  recordRemoved(it.db, { task, name: "app" })

  const item = of(await it.collect(), branch!)
  expect(item).toMatchObject({ kind: "branch", task: String(task), action: "keep" })
  expect(item.why).toContain(`git -C ${it.repo.path} merge ${branch}`)
  expect(item.why).toContain(`git -C ${it.repo.path} branch -D ${branch}`)
  expect(it.report.problems).toEqual([`${branch} is kept: ${item.why}.`])
  expect(it.repo.git("log", "-1", "--format=%s", branch!)).toBe("late")

  it.repo.git("branch", "-D", branch!)
  expect((await it.collect()).repos.flatMap(({ items }) => items)).toEqual([])
  expect(it.report.problems).toEqual([])
})
