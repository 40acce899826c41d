import { once } from "node:events"
import { mkdirSync, rmSync, watch } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { TaskId } from "../../../base/ids.ts"
import { lookAfterStashes } from "./look-after.ts"
import { PassingStashes } from "./passing-stashes.ts"

const NUMBERS = Array.from({ length: 20 }, (_, n) => `line ${n}`)
const lines = (...changed: readonly (readonly [number, string])[]): string =>
  `${NUMBERS.map((line, n) => changed.find(([at]) => at === n)?.[1] ?? line).join("\n")}\n`

/** A repository with an agent's worktree, and git's list of stashes. */
function given() {
  const repo = new TestRepo()
  repo.commit({ "a.txt": lines(), "b.txt": "b\n", "c.txt": "c\n" })
  const worktree = repo.worktree("feat")
  const passing = new PassingStashes([repo.path])
  const look = (task = 7, branch = "feat", at = worktree) =>
    lookAfterStashes({
      repo: repo.path,
      worktree: at,
      branch,
      agents: ["feat", "other"],
      passing: passing.listOf(repo.path),
      target: repo.tip("main"),
      owner: { home: "one", task: task as TaskId },
    })
  const git = (...args: string[]) => repo.gitIn(worktree, ...args)
  const stash = (path: string, content: string, ...how: string[]) => {
    repo.write({ [path]: content })
    repo.git("stash", "push", "--quiet", ...how)
  }
  const list = () => repo.git("log", "-g", "--format=%H %gs", "refs/stash", "--").split("\n")
  const noted = (oid: string) =>
    waitFor("a note of it", () => passing.listOf(repo.path).find((one) => one === oid))
  const dispose = () => {
    passing[Symbol.dispose]()
    repo[Symbol.dispose]()
  }
  return { repo, worktree, look, git, stash, list, noted, [Symbol.dispose]: dispose }
}

test("a stash of a person that an agent popped is put back, with its message [4.18]", async () => {
  using it = given()
  it.stash("b.txt", "a person's\n", "--message", "half done")
  const before = it.list()
  expect(await it.look()).toEqual([])
  it.git("stash", "pop", "--quiet")
  expect(await it.look()).toMatchObject([
    { stash: { message: "On main: half done", branch: "main" }, rescue: undefined },
  ])
  expect(it.list()).toEqual(before)
  expect(it.git("status", "--porcelain")).toBe("M b.txt") // the work stays as it is
  expect(await it.look()).toEqual([])
})

test("an agent that edits and commits what it popped is recognised, with new files alone too [4.18]", async () => {
  using it = given()
  it.stash("new.txt", "a person's\n", "--include-untracked")
  it.stash("a.txt", lines([2, "a person's"]))
  const before = it.list()
  await it.look()
  it.git("stash", "pop", "--quiet")
  it.repo.commit({ "a.txt": lines([2, "a person's"], [15, "mine"]) }, "A1", it.worktree)
  it.git("stash", "pop", "--quiet")
  expect(await it.look()).toMatchObject([{ rescue: undefined }, { rescue: undefined }])
  expect(it.list()).toEqual(before)
})

test("the order of the list stays, also with stashes that came since [4.18]", async () => {
  using it = given()
  it.stash("b.txt", "one\n", "--message", "one")
  it.stash("c.txt", "two\n", "--message", "two")
  await it.look()
  it.git("stash", "pop", "--quiet", "stash@{1}")
  it.stash("a.txt", "three\n", "--message", "three")
  await it.look()
  const words = it.list().map((entry) => entry.split(": ")[1])
  expect(words).toEqual(["three", "two", "one"])
  it.repo.git("stash", "pop", "--quiet")
  expect(it.repo.git("status", "--porcelain")).toBe("M a.txt")
})

test("a stash that a person popped stays gone, and is rescued once [4.19]", async () => {
  using it = given()
  const other = it.repo.worktree("other")
  it.stash("b.txt", "a person's\n")
  const [popped = ""] = it.list()
  const looks = () => [it.look(), it.look(8, "other", other)] as const
  await Promise.all(looks())
  it.repo.git("stash", "pop", "--quiet")
  it.repo.commit({ "work.txt": "w\n" }, "A1", it.worktree)
  const first = await it.look()
  expect(first).toMatchObject([{ rescue: { ref: "refs/coppice/rescue/7/1" } }])
  expect(it.repo.tip("refs/coppice/rescue/7/1")).toBe(popped.split(" ")[0])
  expect(await Promise.all(looks())).toEqual([[], []])
  expect(it.repo.git("for-each-ref", "refs/stash")).toBe("")
})

test("a stash that another agent made and popped is its own affair; one that this agent popped is not [4.18]", async () => {
  using it = given()
  const other = it.repo.worktree("other")
  const stash = () => {
    it.repo.write({ "b.txt": "the other's\n" }, other)
    it.repo.gitIn(other, "stash", "--quiet")
  }
  stash()
  await it.look()
  it.repo.gitIn(other, "stash", "pop", "--quiet")
  expect(await it.look()).toEqual([])
  stash()
  await it.look()
  it.git("stash", "pop", "--quiet")
  expect(await it.look()).toMatchObject([{ stash: { branch: "other" }, rescue: undefined }])
  it.repo.gitIn(other, "stash", "pop", "--quiet")
})

test("an agent may pop a stash and throw its changes away: it is rescued [4.19]", async () => {
  using it = given()
  it.stash("b.txt", "a person's\n")
  await it.look()
  it.git("stash", "pop", "--quiet")
  it.git("checkout", "--quiet", ".")
  const [lost] = await it.look()
  expect(it.repo.git("show", `${lost?.rescue?.ref}:b.txt`)).toBe("a person's")
})

test("changes that a person popped and landed are no sign, although the work has them [4.18]", async () => {
  using it = given()
  it.stash("b.txt", "a person's\n")
  await it.look()
  it.repo.git("stash", "pop", "--quiet")
  it.repo.commit({}, "M1")
  it.git("rebase", "--quiet", "main")
  expect(await it.look()).toMatchObject([{ rescue: { ref: "refs/coppice/rescue/7/1" } }])
  expect(it.repo.git("for-each-ref", "refs/stash")).toBe("")
})

test.each([
  ["its own branch", [[]]],
  ["a detached HEAD", [["checkout", "--quiet", "--detach"]]],
  ["another branch of its own", [["checkout", "--quiet", "-b", "helper"]]],
] as const)("an agent may pop what it stashed on %s", async (_, first) => {
  using it = given()
  await it.look()
  for (const args of first) if (args.length > 0) it.git(...args)
  it.repo.write({ "b.txt": "the agent's\n" }, it.worktree)
  it.git("stash", "--quiet")
  await it.look() // a turn ends, and the next one begins
  it.git("stash", "pop", "--quiet")
  expect(await it.look()).toEqual([])
  expect(it.repo.git("for-each-ref", "refs/stash", "refs/coppice")).toBe("")
})

test("a stash of others that came during the turn is known, and one that its maker popped stays gone [4.18]", async () => {
  using it = given()
  await it.look()
  it.repo.write({ "c.txt": "the agent's\n" }, it.worktree)
  it.git("stash", "--quiet")
  await it.noted(it.repo.tip("refs/stash"))
  it.git("stash", "pop", "--quiet")
  it.stash("a.txt", lines([2, "a person's"]))
  await it.noted(it.repo.tip("refs/stash"))
  it.repo.git("stash", "pop", "--quiet")
  expect(await it.look()).toEqual([])

  it.stash("b.txt", "a person's\n")
  await it.noted(it.repo.tip("refs/stash"))
  const before = it.list()
  it.git("stash", "pop", "--quiet")
  expect(await it.look()).toMatchObject([{ stash: { branch: "main" }, rescue: undefined }])
  expect(it.list()).toEqual(before)
})

test("a folder in place of the list's log ends no daemon, and later stashes are known", async () => {
  using it = given()
  it.stash("a.txt", lines([2, "a person's"]))
  const log = join(it.repo.path, ".git/logs/refs/stash")
  const watcher = watch(join(log, "..")) // told after the one that was there before
  const changed = once(watcher, "change")
  rmSync(log)
  mkdirSync(log)
  await changed
  watcher.close()
  rmSync(log, { recursive: true })
  it.stash("b.txt", "b2\n")
  await it.noted(it.repo.tip("refs/stash"))
})
