import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import type { LandingId } from "../../base/ids.ts"
import { listEvents } from "../store/events.ts"
import { submitWork, type WorkInRepo } from "./submit-work.ts"

/** Submits work in the test's repository. */
function submit(it: LandingTest, work: Partial<WorkInRepo>, undoes?: LandingId): LandingId {
  const repos = [{ name: "app", path: it.path, target: it.target, ...work }]
  const more = undoes === undefined ? {} : { undoes }
  return submitWork(it.db, { title: "By hand", repos, ...more }, it.nowMs).landing.id
}

/** The visible state of a worktree. */
function looks(repo: TestRepo, worktree: string) {
  const status = repo.gitIn(worktree, "status", "--porcelain=v2", "--branch", "--ignored")
  return { status, head: repo.gitIn(worktree, "rev-parse", "HEAD") }
}

test("a branch lands by its commits alone; branch, worktree and leftovers stay as they are", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  repo.commit({ "m.txt": "m\n" }, "M1")
  repo.write({ "a.txt": "edited\n", "new.txt": "new\n" }, worktree)
  const before = looks(repo, worktree)
  const id = submit(it, { branch: "feat" })
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.task(id)).toMatchObject({ agent: null, state: "complete" })
  expect(it.files()).toMatchObject({ "a.txt": "a", "m.txt": "m" })
  expect(looks(repo, worktree)).toEqual(before)
  expect(it.leftRefs()).toEqual([])
  const told = listEvents(it.db, { after: 0, limit: 100 }).find(
    (e) => e.type === "landing.left_out",
  )
  expect(told?.data).toMatchObject({ worktree, count: 2, paths: ["a.txt", "new.txt"] })
})

test("a detached worktree lands by its HEAD, which nothing else has", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = join(repo.folder, "elsewhere")
  repo.git("worktree", "add", "--quiet", "--detach", worktree)
  repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = submit(it, { worktree })
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.history()).toEqual(["commit", "A1"])
  expect(existsSync(worktree)).toBe(true)
})

test("a bare commit lands, is kept until it has, and tells what it takes back", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "a.txt": "a\n" }, "A1", repo.worktree("feat"))
  const first = submit(it, { branch: "feat" })
  await it.run(first)
  const tip = it.tip("main")
  repo.git("checkout", "--quiet", "--detach", "main")
  repo.git("revert", "--no-edit", tip)
  const head = repo.tip("HEAD") as never
  repo.git("checkout", "--quiet", "main")
  const id = submit(it, { head }, first)
  expect(it.landing(id)).toMatchObject({ undoes: first, repos: [{ head }] })
  await it.step(id)
  expect(repo.tip(`refs/coppice/${it.landing(id).task}/head`)).toBe(head)
  expect(await it.run(id)).toMatchObject({ state: "landed", undoes: first })
  expect(it.files()).toEqual({ "README.md": "hello" })
})

test("a conflict is a person's, and the branch's next commit lands when it is submitted again", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "README.md": "ours\n" }, "A1", worktree)
  repo.commit({ "README.md": "theirs\n" }, "M1")
  const id = submit(it, { branch: "feat" })
  expect(await it.run(id)).toMatchObject({ state: "failed", outcome: "SQUASH_CONFLICT" })
  expect(it.task(id).state).toBe("merge_failed")
  repo.gitIn(worktree, "rebase", "--quiet", "--strategy-option=theirs", "main")
  it.resubmit(id)
  expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()).toEqual({ "README.md": "ours" })
})

test("a worktree in the middle of something, or work that is gone, is refused and left [19.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "README.md": "ours\n" }, "A1", worktree)
  repo.commit({ "README.md": "theirs\n" }, "M1")
  expect(() => repo.gitIn(worktree, "rebase", "main")).toThrow()
  const before = looks(repo, worktree)
  const busy = submit(it, { worktree })
  expect(await it.run(busy)).toMatchObject({ state: "failed", outcome: "WORKTREE_ERROR" })
  expect(it.landing(busy).reason).toBe(
    `a rebase is in progress in ${worktree}; finish it, or give it up there with \`git rebase --abort\``,
  )
  expect(looks(repo, worktree)).toEqual(before)

  rmSync(worktree, { recursive: true })
  const gone = submit(it, { worktree })
  expect((await it.run(gone)).reason).toBe(`${worktree} no longer exists`)
})

test("a branch that lands repeatedly lands only what is new, unless the target lost the rest [19.3]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a1\n" }, "A1", worktree)
  repo.commit({ "m.txt": "m\n" }, "M1")
  await it.run(submit(it, { branch: "feat" }))
  repo.commit({ "a.txt": "a2\n" }, "A2", worktree)
  repo.commit({ "b.txt": "b\n" }, "A3", worktree)
  await it.run(submit(it, { branch: "feat" }))
  expect(it.history()).toEqual(["commit", "M1", "A1", "A2", "A3"])

  repo.git("reset", "--quiet", "--hard", "main~3")
  repo.commit({ "a.txt": "a1\n" }, "M2")
  repo.commit({ "c.txt": "c\n" }, "A4", worktree)
  await it.run(submit(it, { branch: "feat" }))
  expect(it.history()).toEqual(["commit", "M1", "M2", "A2", "A3", "A4"])

  repo.git("reset", "--quiet", "--hard", "main~3")
  repo.git("reflog", "expire", "--expire=now", "--all")
  repo.git("gc", "--quiet", "--prune=now") // the landed work is on record, and nowhere else
  await it.run(submit(it, { branch: "feat" }))
  expect(it.history()).toEqual(["commit", "M1", "M2", "A2", "A3", "A4"])
})
