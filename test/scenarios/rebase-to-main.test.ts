/** W15: an agent integrates the target into its worktree, and takes back no one else's work. */
import { chmodSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { assert } from "../../src/base/assert.ts"
import type { TaskId } from "../../src/base/ids.ts"
import { rebaseToMain } from "../../src/kernel/landing/rebase-to-main.ts"
import { findTask } from "../../src/kernel/tasks/rows/find.ts"
import { Crash, LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { forceState } from "../support/store.ts"

const lines = (l2: string, l8: string) => `l1\n${l2}\nl3\nl4\nl5\nl6\nl7\n${l8}\nl9\n`

async function rebase(it: LandingTest, id: TaskId) {
  const task = findTask(it.db, id)
  assert(task?.repos[0], "the task is there")
  return await rebaseToMain(it.context, task, task.repos[0])
}

const changed = (repo: TestRepo, cwd: string) =>
  repo.gitIn(cwd, "diff", "--name-only", "main").split("\n").filter(Boolean)

test("W15: the branch then holds the target's changes, and differs from it only by its own [9.3]", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": lines("l2", "l8") })
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "f.txt": lines("l2", "mine") }, "A1", worktree)
  const id = it.begin({ branch: "feat" })
  repo.git("config", "rebase.autoStash", "true")
  repo.git("config", "core.hooksPath", join(repo.folder, "hooks"))
  repo.write({ "../hooks/pre-rebase": "#!/bin/sh\nexit 1\n" })
  chmodSync(join(repo.folder, "hooks/pre-rebase"), 0o755)
  repo.write({ "left.txt": "l\n" }, worktree)
  const target = repo.commit({ "f.txt": lines("theirs", "l8"), "main_new.txt": "n\n" }, "M1")

  const told = await rebase(it, id)
  expect(told).toMatchObject({ kind: "rebased", target: "main", onto: target, paths: [] })
  expect(repo.gitIn(worktree, "status", "--porcelain", "--branch")).toBe("## feat")
  expect(readFileSync(join(worktree, "f.txt"), "utf8")).toBe(lines("theirs", "mine"))
  expect(changed(repo, worktree)).toEqual(["f.txt", "left.txt"])
  expect(repo.git("log", "--format=%s", "main..feat")).toMatch(/^agent: .*\nA1$/)
  expect(repo.git("log", "--format=%s", "-1", `${told.rescue}~1`)).toBe("A1")
  expect(findTask(it.db, id)?.repos[0]?.base).toBe(target)
  expect(await rebase(it, id)).toMatchObject({ kind: "upToDate" })
})

test("W15: a conflict is git's own rebase in progress; resolved, it lands with both sides' work [9.3]", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": lines("l2", "l8"), "old.txt": "o\n" })
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  repo.commit({ "f.txt": lines("mine", "l8") }, "A2", worktree)
  const id = it.begin({ branch: "feat" })
  const target = repo.commit({ "f.txt": lines("theirs", "l8"), "main_new.txt": "n\n" }, "M1")
  const before = repo.tip("feat")

  const told = await rebase(it, id)
  expect(told).toMatchObject({ kind: "conflict", onto: target, paths: ["f.txt"] })
  expect(repo.tip(told.rescue ?? "")).toBe(before)
  expect(readFileSync(join(worktree, "f.txt"), "utf8")).toContain("<<<<<<<")
  expect(existsSync(join(worktree, "main_new.txt"))).toBe(true)
  expect(await rebase(it, id)).toMatchObject({
    kind: "refused",
    reason: "a rebase is in progress; finish or abort it first",
  })
  repo.write({ "f.txt": lines("both", "l8") }, worktree)
  repo.gitIn(worktree, "add", "f.txt")
  repo.gitIn(worktree, "-c", "core.editor=true", "rebase", "--continue")

  const dropped = repo.commit({ "more.txt": "m\n", "old.txt": null }, "M2")
  const landing = it.request(id)
  expect(await it.run(landing)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.history().slice(-4)).toEqual(["M1", "M2", "A1", "A2"])
  expect(repo.git("diff", "--name-only", dropped, "main")).toBe("a.txt\nf.txt")
  expect(it.files()).toMatchObject({ "f.txt": lines("both", "l8").trimEnd(), "main_new.txt": "n" })
})

test("W15: the target may move back afterwards, and what it dropped stays dropped", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.begin({ branch: "feat" })
  repo.commit({ "dropped.txt": "d\n" }, "M1")
  expect(await rebase(it, id)).toMatchObject({ kind: "rebased" })
  repo.git("reset", "--quiet", "--hard", "HEAD~1")
  expect(await it.run(it.request(id))).toMatchObject({ state: "landed" })
  expect(Object.keys(it.files())).toEqual(["README.md", "a.txt"])
})

test("ignored files that the target has are kept, and an abort brings all back", async () => {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "*.env\n" })
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const before = repo.commit({ "README.md": "mine\n" }, "A1", worktree)
  repo.write({ "a.env": "mine\n", "b.env": "mine\n" }, worktree)
  const id = it.begin({ branch: "feat" })
  repo.write({ "README.md": "theirs\n", "a.env": "theirs\n" })
  repo.git("add", "--force", "a.env", "README.md")
  repo.commit({}, "M1")
  expect(await rebase(it, id)).toMatchObject({ kind: "conflict", paths: ["README.md"] })
  expect(readFileSync(join(worktree, "b.env"), "utf8")).toBe("mine\n")
  const saved = it.leftRefs().map((ref) => repo.git("ls-tree", "--name-only", ref))
  expect(saved.some((names) => names.includes("a.env"))).toBe(true)
  repo.gitIn(worktree, "rebase", "--abort")
  expect(repo.tip("feat")).toBe(before)
  repo.git("reset", "--quiet", "--hard", "HEAD~1")
  expect(await it.run(it.request(id))).toMatchObject({ state: "landed" })
})

test("refused, without any change: another branch, no worktree, a task that is not working", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.begin({ branch: "feat" })
  repo.commit({ "m.txt": "m\n" }, "M1")
  repo.gitIn(worktree, "switch", "--quiet", "--create", "other")
  repo.write({ "left.txt": "l\n" }, worktree)
  const before = repo.git("for-each-ref")
  const reason = "the worktree does not stand on feat"
  expect(await rebase(it, id)).toMatchObject({ kind: "refused", reason })
  expect(repo.git("for-each-ref")).toBe(before)
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("?? left.txt")

  repo.gitIn(worktree, "switch", "--quiet", "feat")
  it.request(id)
  expect(await rebase(it, id)).toMatchObject({ reason: "the task is merging, not working" })
  const gone = it.begin({ branch: "gone", worktree: join(repo.folder, "nowhere") })
  expect(await rebase(it, gone)).toMatchObject({ reason: "there is no worktree" })
})

test.each(["rebase: saved", "rebase: ran"])("cut at %s, a new request goes on", async (cut) => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const before = repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.begin({ branch: "feat" })
  const target = repo.commit({ "m.txt": "m\n" }, "M1")
  it.onPoint = (name) => {
    if (name === cut) throw new Crash(name)
  }
  await expect(rebase(it, id)).rejects.toThrow(Crash)
  it.onPoint = () => {}
  expect(it.leftRefs().map((ref) => repo.tip(ref))).toEqual([before])
  expect((await rebase(it, id)).kind).toBe(cut === "rebase: ran" ? "upToDate" : "rebased")
  expect(findTask(it.db, id)?.repos[0]?.base).toBe(target)
  expect(changed(repo, worktree)).toEqual(["a.txt"])
  expect(it.leftRefs()).toHaveLength(1)
})

test("W15: a request that waited until the work is being landed changes nothing", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "a.txt": "a\n" }, "A1", repo.worktree("feat"))
  const id = it.begin({ branch: "feat" })
  repo.commit({ "b.txt": "b\n" }, "M1")
  const before = repo.tip("feat")
  const landing = Promise.withResolvers<void>()
  const held = it.context.taskLock.hold(id, () => landing.promise)
  const told = rebase(it, id)
  forceState(it.db, id, "merging")
  landing.resolve()
  await held
  expect(await told).toMatchObject({ kind: "refused", reason: "the task is merging, not working" })
  expect(repo.tip("feat")).toBe(before)
})
