import { chmodSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { assert } from "../../../base/assert.ts"
import { branchRef, type LandingId } from "../../../base/ids.ts"
import { type HandBackDetails, handBackPrompt } from "../prompts/hand-back.ts"
import { submitWork } from "../submit-work.ts"
import { takeBack } from "./take-back.ts"

/** Lands two commits of a branch on a target that has moved. */
async function landed(it: LandingTest, repo: TestRepo, name = "feat"): Promise<LandingId> {
  const worktree = repo.worktree(name)
  repo.commit({ [`${name}.txt`]: "1\n" }, `${name} 1`, worktree)
  repo.commit({ [`${name}.txt`]: "2\n", "README.md": `${name}\n` }, `${name} 2`, worktree)
  const id = it.submit({ branch: name, title: `Do ${name}` })
  repo.commit({ [`before-${name}`]: "" }, "before")
  expect(await it.run(id)).toMatchObject({ state: "landed" })
  return id
}

async function undo(it: LandingTest, id: LandingId): Promise<LandingId> {
  const taken = await takeBack(it.context, it.landing(id))
  assert(taken.kind === "submitted", JSON.stringify(taken))
  return taken.landing.id
}

const takenBack = (it: LandingTest, id: LandingId) => it.task(id).repos[0]?.takenBack
const refusal = (it: LandingTest, id: LandingId) => takeBack(it.context, it.landing(id))

test("the landed work is taken off the target, and later work stays [22.1, 22.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = await landed(it, repo)
  repo.commit({ "later.txt": "l\n" }, "later")
  const undoing = await undo(it, id)
  expect(it.landing(undoing)).toMatchObject({ undoes: id, state: "snapshotting" })
  expect(takenBack(it, id)).toBeNull()
  expect(await it.run(undoing)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()).toEqual({ "README.md": "hello", "before-feat": "", "later.txt": "l" })
  expect(it.history().at(-1)).toBe('Revert "Do feat"')
  const message = repo.git("log", "-1", "--format=%B", "main")
  for (const fact of [`landing ${id}`, "feat 1", "feat 2"]) expect(message).toContain(fact)
  expect(takenBack(it, id)).toBe(it.tip("main"))
  expect(it.leftRefs().filter((ref) => ref.includes(`/${it.landing(undoing).task}/`))).toEqual([])
})

test("all landed changes come off to the byte: renames, binary files, modes, links, folders [22.1]", async () => {
  using repo = new TestRepo()
  const bytes = (n: number) => Buffer.from([0, n, 255, 13, 10, n])
  const base = {
    "old.txt": "1\n2\n3\n4\n5\n",
    "b.bin": bytes(1),
    gone: "g\r\n",
    "d/x": "x",
    run: "r",
  }
  repo.commit(base)
  await using it = new LandingTest(repo)
  const worktree = repo.worktree("feat")
  repo.gitIn(worktree, "mv", "old.txt", "new.txt")
  repo.gitIn(worktree, "rm", "--quiet", "-r", "d")
  repo.write(
    { "b.bin": bytes(2), gone: null, d: "a file", "run/x": "x" },
    unlinked(worktree, "run"),
  )
  symlinkSync("new.txt", join(worktree, "link"))
  chmodSync(join(worktree, "new.txt"), 0o755)
  repo.commit({}, "all kinds", worktree)
  const id = it.submit({ branch: "feat" })
  const before = repo.git("ls-tree", "-r", "main")
  await it.run(id)
  repo.commit({ "zz-later.txt": "l\n" }, "later")
  expect(await it.run(await undo(it, id))).toMatchObject({ state: "landed", outcome: "LANDED" })
  const after = repo.git("ls-tree", "-r", "main").split("\n")
  expect(after.slice(0, -1).join("\n")).toBe(before)
  expect(repo.git("status", "--porcelain")).toBe("")
})

/** Makes room for a folder where a file was. */
function unlinked(folder: string, file: string): string {
  rmSync(join(folder, file))
  return folder
}

test("an undo can be undone, and that again; the record says each time whether it is there [22.3]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const first = await landed(it, repo)
  const second = await undo(it, first)
  await it.run(second)
  const third = await undo(it, second)
  await it.run(third)
  expect(it.files()).toMatchObject({ "feat.txt": "2", "README.md": "feat" })
  expect([takenBack(it, first), takenBack(it, third)]).toEqual([null, null])
  expect(takenBack(it, second)).not.toBeNull()

  const fourth = await undo(it, third)
  await it.run(fourth)
  expect(it.files()).toEqual({ "README.md": "hello", "before-feat": "" })
  expect(takenBack(it, first)).toBe(it.tip("main"))
  expect(takenBack(it, second)).toBeNull()
})

test("a conflict with later work changes nothing, and names the files in the way [22.2]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = await landed(it, repo)
  const main = repo.commit({ "README.md": "later\n" }, "later")
  const undoing = await undo(it, id)
  const failed = await it.run(undoing)
  expect(failed).toMatchObject({ state: "failed", outcome: "SQUASH_CONFLICT" })
  expect(it.task(undoing).state).toBe("merge_failed")
  const prompt = handBackPrompt(failed.details as HandBackDetails, {
    target: "main",
    worktree: null,
  })
  expect(prompt).toContain("README.md (content)")
  expect([it.tip("main"), takenBack(it, id)]).toEqual([main, null])
})

test("undo is refused for work that has not landed, changed nothing, is off the target, or is undone already [22.4]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.worktree("none")
  const nothing = it.submit({ branch: "none" })
  expect(await refusal(it, nothing)).toMatchObject({ kind: "refused" })
  await it.run(nothing)
  expect(await refusal(it, nothing)).toEqual({ kind: "refused", reason: "it has changed nothing" })

  const before = repo.tip("main")
  const id = await landed(it, repo)
  const undoing = await undo(it, id)
  const twice = { kind: "refused", reason: `task ${it.landing(undoing).task} reverts it already` }
  expect(await refusal(it, id)).toEqual(twice)
  await it.run(undoing)
  expect(await refusal(it, id)).toEqual(twice)
  repo.git("reset", "--quiet", "--hard", before)
  expect(await refusal(it, undoing)).toEqual({
    kind: "refused",
    reason: "it is not on main of app",
  })
})

test("a landing that is off its target is not taken back again; one that is on it is [22.4]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = await landed(it, repo)
  const undoing = await undo(it, id)
  let last = undoing
  for (const _ of ["on", "off"]) {
    await it.run(last)
    last = await undo(it, last)
  }
  await it.run(last)
  const twice = { kind: "refused", reason: `task ${it.landing(undoing).task} reverts it already` }
  expect(await refusal(it, id)).toEqual(twice)
  await it.run(await undo(it, last))
  expect(await it.run(await undo(it, id))).toMatchObject({ outcome: "LANDED" })
  expect(it.files()).not.toHaveProperty("feat.txt")
})

test("a user has reverted it by hand: there is nothing left to change, and it is on record [22.4]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = await landed(it, repo)
  repo.git("revert", "--no-edit", "HEAD", "HEAD~1")
  const undoing = await undo(it, id)
  expect(await it.run(undoing)).toMatchObject({ state: "landed", outcome: "NO_CHANGES" })
  expect(takenBack(it, id)).not.toBeNull()
})

test("a crash before or after any step takes it back once [22.1]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const id = await landed(it, repo)
  const undoing = await undo(it, id)
  const seen = new Set<string>()
  it.onPoint = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    throw new Crash(name)
  }
  expect(await it.run(undoing)).toMatchObject({ state: "landed" })
  expect(seen.size).toBeGreaterThan(10)
  expect(it.history()).toEqual(["commit", "before", "feat 1", "feat 2", 'Revert "Do feat"'])
  expect(takenBack(it, id)).not.toBeNull()
})

test("several repositories are taken back together [22.1]", async () => {
  using repo = new TestRepo()
  using other = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "a.txt": "a\n" }, "A", repo.worktree("feat"))
  other.commit({ "b.txt": "b\n" }, "B", other.worktree("feat"))
  const at = (name: string, path: string, branch: string, target = "main") => ({
    name,
    path,
    target,
    branch,
  })
  const repos = [at("a", repo.path, "feat"), at("b", other.path, "feat")]
  const { landing } = submitWork(it.db, { title: "Both", repos }, it.nowMs)
  expect(await it.run(landing.id)).toMatchObject({ state: "landed" })
  const undoing = await undo(it, landing.id)
  expect(it.landing(undoing).repos.map(({ name, target }) => [name, target])).toEqual([
    ["a", branchRef("main")],
    ["b", branchRef("main")],
  ])
  expect(await it.run(undoing)).toMatchObject({ state: "landed" })
  expect(repo.git("ls-tree", "--name-only", "main")).toBe("README.md")
  expect(other.git("ls-tree", "--name-only", "main")).toBe("README.md")
  expect(it.task(landing.id).repos.every(({ takenBack }) => takenBack !== null)).toBe(true)
})
