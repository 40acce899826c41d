import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { breakGit, installFaultyGit } from "../../../../test/support/faulty-git.ts"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { assert } from "../../../base/assert.ts"
import type { LandingId } from "../../../base/ids.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { submitWork } from "../submit-work.ts"
import { type Against, diffWork, type WorkDiff } from "./work-diff.ts"

async function diff(it: LandingTest, id: LandingId, against: Against): Promise<WorkDiff> {
  const task = it.task(id)
  const [repo] = task.repos
  assert(repo, "a task has a repository")
  const found = await diffWork(repo, { task, landing: it.landing(id), against })
  assert(typeof found !== "string", String(found))
  return found
}

const names = (repo: TestRepo, { from, to }: WorkDiff) =>
  repo.git("diff", "--name-status", from, to).split("\n").filter(Boolean)

/** All that the agent, or git in its worktree, could notice. */
function looks(repo: TestRepo, worktree: string) {
  const dir = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  const status = repo.gitIn(
    worktree,
    "--no-optional-locks",
    "status",
    "--porcelain=v2",
    "--ignored",
  )
  const index = createHash("sha256")
    .update(readFileSync(join(dir, "index")))
    .digest("hex")
  return {
    status,
    index,
    refs: repo.git("for-each-ref"),
    flags: repo.gitIn(worktree, "ls-files", "-v"),
  }
}

test("leftovers are in it as the snapshot would take them, and the worktree stays as it is [19.5]", async () => {
  using repo = new TestRepo()
  repo.commit({ "gone.txt": "g\n", "hidden.txt": "h\n", "m.txt": "m\n", ".gitignore": "*.log\n" })
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const base = repo.tip("main")
  repo.commit({ "done.txt": "d\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat", placed: [".env", "placed"] })
  repo.write({ "staged.txt": "s\n", ".env": "SECRET\n", "placed/x": "x\n" }, worktree)
  repo.gitIn(worktree, "add", "staged.txt", ".env")
  repo.gitIn(worktree, "update-index", "--assume-unchanged", "hidden.txt")
  const left = { "new.txt": "n\n", "hidden.txt": "edited\n", "gone.txt": null, "a.log": "l\n" }
  repo.write(left, worktree)
  const before = looks(repo, worktree)

  const found = await diff(it, id, "base")
  expect(found.from).toBe(base)
  expect(names(repo, found)).toEqual([
    "A\tdone.txt",
    "D\tgone.txt",
    "M\thidden.txt",
    "A\tnew.txt",
    "A\tstaged.txt",
  ])
  expect(found.leftovers.map(displayPath).sort()).toEqual([
    "gone.txt",
    "hidden.txt",
    "new.txt",
    "staged.txt",
  ])
  expect(looks(repo, worktree)).toEqual(before)
  expect((await diff(it, id, "base")).to).toBe(found.to)
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(repo.git("diff", found.to, "main")).toBe("")
})

test("a diff against the target shows exactly the change that the landing then makes [19.5]", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "1\n2\n3\n4\n5\n" })
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "f.txt": "1\n2\n3\n4\nfive\n", "same.txt": "s\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.write({ "left.txt": "l\n" }, worktree)
  const target = repo.commit({ "f.txt": "one\n2\n3\n4\n5\n", "same.txt": "s\n", "m.txt": "" }, "M1")
  const found = await diff(it, id, "target")
  expect(found).toMatchObject({ from: target, conflicts: [], notices: [] })
  expect(names(repo, found)).toEqual(["M\tf.txt", "A\tleft.txt"])
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  expect(repo.git("diff", found.to, "main")).toBe("")

  const done = await diff(it, id, "target")
  expect(done).toMatchObject({ from: target, to: repo.tip("main"), leftovers: [] })
})

test("where it conflicts it says so, and is shown against its base; in a rebase too [19.5]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.commit({ "README.md": "ours\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "README.md": "theirs\n" }, "M1")
  const found = await diff(it, id, "target")
  expect(found.conflicts.map(({ path, kind }) => [path, kind])).toEqual([["README.md", "content"]])
  expect(found.notices).toEqual(["It conflicts with main, so it is shown against its base."])
  expect(names(repo, found)).toEqual(["M\tREADME.md"])

  expect(() => repo.gitIn(worktree, "rebase", "main")).toThrow()
  const before = looks(repo, worktree)
  const { notices } = await diff(it, id, "base")
  expect(notices).toEqual([
    `A rebase is in progress in ${worktree}.`,
    "Cannot be committed as it is: README.md.",
  ])
  expect(looks(repo, worktree)).toEqual(before)
})

test("without worktree the branch is the work; without both there is nothing to show [19.5]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const tip = repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.git("worktree", "remove", "--force", worktree)
  expect(await diff(it, id, "base")).toMatchObject({ to: tip })
  repo.git("branch", "-D", "feat")
  await expect(diff(it, id, "base")).rejects.toThrow(
    "There is no work yet, or it no longer exists.",
  )
})

test("a worktree that goes while its work is read shows the branch, and no error [19.5]", async () => {
  using _git = installFaultyGit()
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const tip = repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.write({ "leftover.txt": "late\n" }, worktree)
  breakGit(repo, "worktree goes")
  expect(await diff(it, id, "base")).toMatchObject({ to: tip, leftovers: [] })
  expect(existsSync(worktree)).toBe(false)
})

test("of work that no agent did its commits alone are shown: its leftovers would not land [19.5]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  const tip = repo.commit({ "a.txt": "a\n" }, "A1", worktree)
  repo.write({ "left.txt": "l\n" }, worktree)
  const work = { name: "app", path: repo.path, target: "main", branch: "feat", worktree }
  const { landing } = submitWork(it.db, { title: "By hand", repos: [work] }, it.nowMs)
  expect(await diff(it, landing.id, "target")).toMatchObject({ to: tip, leftovers: [] })
})

test("work in review that is on the target already is shown, as a person is asked about it [2.12]", async () => {
  using repo = new TestRepo()
  repo.commit({ "f.txt": "f\n" })
  await using it = new LandingTest(repo)
  const base = repo.tip("main")
  const head = repo.commit({ "new.txt": "n\n" }, "A1", repo.worktree("feat"))
  const id = it.submit({ branch: "feat" })
  repo.git("update-ref", "refs/heads/main", head)
  for (const against of ["base", "target"] as const)
    expect(names(repo, await diff(it, id, against)), "it is not in review").toEqual([])
  it.db.exec("update landings set state = 'in_review'")
  it.db.exec(`update landing_repos set head = '${head}', base = '${base}'`)
  for (const against of ["base", "target"] as const) {
    const found = await diff(it, id, against)
    expect(names(repo, found)).toEqual(["A\tnew.txt"])
    expect(found.notices.join()).toContain("main has it already")
  }
})
