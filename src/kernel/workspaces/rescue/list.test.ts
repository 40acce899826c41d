import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid, TaskId } from "../../../base/ids.ts"
import { listRescues } from "./list.ts"
import { rescueCommit, rescueWorktree } from "./rescue.ts"
import { restoreRescue } from "./restore.ts"

const REQUEST = {
  owner: { home: "one", task: 7 as TaskId },
  placed: [],
  reason: "landing 3 was cleaned up",
}

test("a rescue of files lists them, its commits, time and reason, even without a log [4.8]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  repo.write({ "a.txt": "staged" }, worktree)
  repo.gitIn(worktree, "add", "a.txt")
  repo.write({ "a.txt": "edited", "odd\nname": "n", "README.md": null }, worktree)
  const made = await rescueWorktree(worktree, { ...REQUEST, safeCommits: [repo.tip("main")] })
  repo.git("branch", "-m", "feat", "gone")
  repo.git("update-ref", "-d", "refs/heads/gone")
  const [rescue, ...others] = await listRescues(repo.path)
  expect(others).toEqual([])
  expect(rescue).toMatchObject({
    ref: made?.ref,
    commit: made?.commit,
    task: "7",
    n: "1",
    reason: "before landing 3 was cleaned up",
    files: [
      { path: "README.md", status: "D" },
      { path: "a.txt", status: "M" },
      { path: "odd\\x0aname", status: "A" },
    ],
    filesInAll: 3,
    staged: true,
    commits: [expect.stringMatching(/^[0-9a-f]+ A1$/)],
  })
  const written = Number(repo.git("log", "-1", "--format=%ct", rescue!.commit)) * 1000
  expect(rescue!.atMs).toBeGreaterThanOrEqual(written)

  repo.git("reflog", "expire", "--expire=all", rescue!.ref)
  expect(await listRescues(repo.path)).toEqual([{ ...rescue, atMs: written }])
})

test("a rescued commit gives time and reason, and counts only commits that no branch has [4.8]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  repo.commit({ "a.txt": "a" }, "A1", worktree)
  repo.git("branch", "kept", "feat")
  const late = repo.commit({ "b.txt": "b" }, "Gr\u00fc\u00dfe", worktree)
  await rescueCommit(repo.path, late, { ...REQUEST, safeCommits: [] })
  repo.gitIn(worktree, "reset", "--quiet", "--hard", "HEAD~1")
  const [rescue] = await listRescues(repo.path)
  expect(rescue).toMatchObject({ reason: "before landing 3 was cleaned up", files: [] })
  expect(rescue?.commits).toEqual([expect.stringMatching(/ Gr\u00fc\u00dfe$/)])
})

test("restoring makes a branch, and never changes an existing or checked-out one [4.8, 4.9]", async () => {
  using repo = new TestRepo()
  const commit = repo.commit({ "a.txt": "a" }, "A1", repo.worktree("feat"))
  const restore = (branch: string) =>
    restoreRescue(repo.path, { branch, commit, ref: "refs/coppice/rescue/7/1" })
  const refs = () => repo.git("for-each-ref", "refs/heads")
  expect(await restore("recovered/7-1")).toEqual({ kind: "restored" })
  expect(repo.tip("recovered/7-1")).toBe(commit)
  expect(await restore("recovered/7-1")).toEqual({ kind: "restored" })

  const before = refs()
  repo.git("checkout", "--quiet", "--orphan", "unborn")
  const names = ["main", "unborn", "recovered", "main/x", "a..b", "-d", "HEAD", "@{-1}", "x.lock"]
  for (const name of names) expect(await restore(name), name).toMatchObject({ kind: "refused" })
  expect(refs()).toBe(before)
  repo.write({ ".git/refs/heads/held.lock": "" })
  expect(await restore("held")).toEqual({ kind: "locked" })
})

test("a foreign ref among the rescues hides none of them [4.8]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  const commit = repo.commit({ "a.txt": "a" }, "A1", worktree)
  const made = await rescueCommit(repo.path, commit as Oid, { ...REQUEST, safeCommits: [] })
  repo.git("update-ref", "refs/coppice/rescue/7/8", repo.tip("main:README.md"))
  const input = `tree ${repo.tip("main^{tree}")}\n\nby hand\n`
  const args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"]
  const oid = execFileSync("git", args, { cwd: repo.path, input, encoding: "utf8" }).trim()
  repo.git("update-ref", "refs/coppice/rescue/7/9", oid)
  const refs = (await listRescues(repo.path)).map(({ ref }) => ref)
  expect(refs.toSorted()).toEqual([made?.ref, "refs/coppice/rescue/7/9"])
})
