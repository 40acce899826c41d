import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { mergeEach } from "./merge-each.ts"

test("merges each commit into one, in the order asked, or says that one conflicts", async () => {
  using repo = new TestRepo()
  const base = repo.tip("main")
  repo.git("checkout", "--quiet", "-b", "work")
  const one = repo.commit({ "one.txt": "1\n" })
  const two = repo.commit({ "two.txt": "2\n" })
  const clash = repo.commit({ "README.md": "work\n" })
  repo.git("checkout", "--quiet", "-B", "main", base)
  const main = repo.commit({ "README.md": "main\n" })

  const trees = await mergeEach(repo.path, main, [one, two])
  const names = (trees ?? []).map((tree) => repo.git("ls-tree", "--name-only", tree).split("\n"))
  expect(names).toEqual([
    ["README.md", "one.txt"],
    ["README.md", "one.txt", "two.txt"],
  ])
  expect(await mergeEach(repo.path, main, [one, clash, two])).toBeUndefined()
  expect(await mergeEach(repo.path, main, [])).toEqual([])
})
