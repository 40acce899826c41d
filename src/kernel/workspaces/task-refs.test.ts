import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { TaskId } from "../../base/ids.ts"
import { findKept, forgetKept, keep } from "./keep-refs.ts"
import { listRescues } from "./rescue/list.ts"
import { rescueCommit } from "./rescue/rescue.ts"
import { isFolderOf, keepPrefix } from "./task-refs.ts"

const task = 7 as TaskId
const ONE = { home: "/state/one", task }
const OTHER = { home: "/state/other", task }

test("two homes over one repository: a task 7 of each keeps its own refs, and only those [34.5]", async () => {
  using repo = new TestRepo()
  const [first, second] = [repo.tip("main"), repo.commit({ "a.txt": "a" })]
  await keep(repo.path, ONE, { kept: "head", commit: first })
  await keep(repo.path, OTHER, { kept: "head", commit: second })
  await keep(repo.path, OTHER, { kept: "candidate", commit: second })
  expect(await findKept(repo.path, ONE, "head")).toBe(first)
  expect(await findKept(repo.path, ONE, "candidate")).toBeUndefined()
  expect(await findKept(repo.path, OTHER, "head")).toBe(second)
  expect(repo.tip("refs/coppice/7/head")).toBe(first)
  await forgetKept(repo.path, ONE)
  expect(repo.git("for-each-ref", "--format=%(objectname)", "refs/coppice").split("\n")).toEqual([
    second,
    second,
  ])
})

test("rescues of two homes are all listed, each with its home, also from a worktree [34.5]", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  const [first, second] = [repo.tip("main"), repo.commit({ "a.txt": "a" }, "A1", worktree)]
  const request = { safeCommits: [], reason: "a test" }
  await rescueCommit(repo.path, first, { ...request, owner: ONE })
  await rescueCommit(worktree, second, { ...request, owner: OTHER })
  const found = await listRescues(repo.path)
  const byCommit = Object.fromEntries(found.map((rescue) => [rescue.commit, rescue]))
  expect(byCommit[first]).toMatchObject({ ref: "refs/coppice/rescue/7/1", task: "7", n: "1" })
  expect(byCommit[second]).toMatchObject({ task: "7", n: "1" })
  for (const { commit, folder } of found) {
    expect(await isFolderOf(repo.path, ONE.home, folder)).toBe(commit === first)
    expect(await isFolderOf(worktree, OTHER.home, folder)).toBe(commit === second)
  }
})

test("of twenty homes that begin at once one has the plain names, and no file is left over [34.5]", async () => {
  using repo = new TestRepo()
  const homes = Array.from({ length: 20 }, (_, n) => `/state/${n}`)
  const names = await Promise.all(homes.map((home) => keepPrefix(repo.path, { home, task })))
  expect(names.filter((name) => name === "refs/coppice/7")).toHaveLength(1)
  expect(new Set(names).size).toBe(20)
  const again = await Promise.all(homes.map((home) => keepPrefix(repo.path, { home, task })))
  expect(again).toEqual(names)
  const files = readdirSync(`${repo.path}/.git`).filter((name) => name.startsWith("coppice"))
  expect(files).toEqual(["coppice.home"])
})
