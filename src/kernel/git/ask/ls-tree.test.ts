/** The names in a folder of a commit, against what `git ls-tree` says. */
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { keepingGits } from "../start/trace-commands.ts"
import { listNames } from "./ls-tree.ts"
import { readCommit } from "./rev-parse.ts"

test("the names in a folder are those of git, and no git starts for them", async () => {
  using repo = new TestRepo()
  const files = ["package.json", "tests/a.py", "tests/deep/b.py", "z", "with space", "zwölf.txt"]
  const commit = repo.commit(Object.fromEntries(files.map((file) => [file, file])), "files")
  await readCommit(repo.path, "refs/heads/main") // starts the long-running git
  const gits: string[] = []
  const found = await keepingGits(
    (lines) => gits.push(...lines),
    async () => ({
      root: await listNames(repo.path, commit),
      tests: await listNames(repo.path, commit, "tests"),
      file: await listNames(repo.path, commit, "z"),
      absent: await listNames(repo.path, commit, "absent"),
    }),
  )
  const ask = (where: string) => repo.git("ls-tree", "-z", "--name-only", where).split("\0")
  const asText = (names: readonly string[]) =>
    names.map((name) => Buffer.from(name, "latin1").toString("utf8"))
  expect(asText(found.root)).toEqual(ask(commit).filter(Boolean))
  expect(found.root).toHaveLength(6)
  expect(found.tests).toEqual(["a.py", "deep"])
  expect(found.file).toEqual([])
  expect(found.absent).toEqual([])
  expect(gits.filter((line) => line.includes("ls-tree"))).toEqual([])
})
