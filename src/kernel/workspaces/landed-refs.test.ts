import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid, TaskId } from "../../base/ids.ts"
import { keepLanded } from "./landed-refs.ts"

const homes = ["/first", "/second"] as const

test("the newest fifty of each home stay, by task and then by number [4.13]", async () => {
  using repo = new TestRepo()
  const [landed, other, target] = ["A1", "A2", "M1"].map((name) =>
    repo.commit({ [name]: name }, name, repo.worktree(name)),
  ) as [Oid, Oid, Oid]
  const listed = () =>
    repo.git("for-each-ref", "--format=%(refname)", "refs/coppice/rescue/landed").split("\n")
  const keep = (home: string, task: number, commit = landed) =>
    keepLanded(repo.path, commit, {
      owner: { home, task: task as TaskId },
      safeCommits: [target],
      reason: "it landed",
    })
  for (let task = 1; task <= 51; task++) for (const home of homes) await keep(home, task)
  await keep("/first", 51, other)

  const plain = listed().filter((ref) => !ref.includes("/home-"))
  expect(plain).toHaveLength(50)
  expect(plain).not.toContain("refs/coppice/rescue/landed/2/1")
  expect(plain).toContain("refs/coppice/rescue/landed/3/1")
  expect(plain).toContain("refs/coppice/rescue/landed/51/2")
  expect(listed().filter((ref) => ref.includes("/home-"))).toHaveLength(50)
})

test("a commit that the target contains needs no ref [4.13]", async () => {
  using repo = new TestRepo()
  const landed = repo.commit({ a: "a" })
  const owner = { home: "/first", task: 1 as TaskId }
  const safeCommits = [repo.commit({ b: "b" })]
  await keepLanded(repo.path, landed, { owner, safeCommits, reason: "it landed" })
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
})
