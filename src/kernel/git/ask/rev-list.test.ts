import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { parseCommit, writeCommitObject } from "../change/commit-objects.ts"
import { isAncestor, readMergeBase } from "./merge-base.ts"
import { listCommits } from "./rev-list.ts"

test("lists commits oldest first, each with its object byte for byte", async () => {
  using repo = new TestRepo()
  repo.git("config", "i18n.logOutputEncoding", "latin1")
  const base = repo.tip("HEAD")
  const first = repo.commit({ a: "1" }, "one\n\n  indented ü  \n\n\nend")
  const second = repo.commit({ a: "2" }, "two")

  const commits = await listCommits(repo.path, base, second)

  expect(commits.map(({ oid }) => oid)).toEqual([first, second])
  expect(commits[1]).toMatchObject({ parents: [first], tree: repo.tip("HEAD^{tree}") })
  expect(await writeCommitObject(repo.path, commits[0]!.raw)).toBe(first)
  expect(await listCommits(repo.path, second, base)).toEqual([])
})

test("a commit keeps an author that is not UTF-8", async () => {
  using repo = new TestRepo()
  const [base, tree] = [repo.tip("HEAD"), repo.tip("HEAD^{tree}")]
  const who = "J\xfcrgen <j@example.com> 1000000000 +0200"
  const raw = `tree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who}\nencoding latin1\ngpgsig a\n b\n\nh\xfc\n`
  const oid = await writeCommitObject(repo.path, raw)

  const [commit] = await listCommits(repo.path, base, oid)

  expect(commit?.raw).toBe(raw)
  expect(parseCommit(raw)).toEqual({
    tree,
    parents: [base],
    author: who,
    committer: who,
    encoding: "latin1",
    message: "h\xfc\n",
  })
})

test("ancestry: a commit contains itself, and unrelated histories have no base", async () => {
  using repo = new TestRepo()
  const base = repo.tip("HEAD")
  const tip = repo.commit({ a: "1" })
  repo.git("checkout", "--quiet", "--orphan", "other")
  const other = repo.commit({ b: "1" })
  expect(await isAncestor(repo.path, base, base)).toBe(true)
  expect(await isAncestor(repo.path, tip, base)).toBe(false)
  expect(await readMergeBase(repo.path, tip, base)).toBe(base)
  expect(await readMergeBase(repo.path, tip, other)).toBeUndefined()
})
