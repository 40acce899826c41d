import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listFileDiffs, readDiff } from "./diff-tree.ts"

test("files are counted line by line: renames, binary files, odd names and all", async () => {
  using repo = new TestRepo()
  const lines = (last: string) => `1\n2\n3\n4\n5\n${last}\n`
  const from = repo.commit({ "b.bin": Buffer.from([0, 1]), "old.txt": lines("6"), gone: "g\n" })
  repo.write({ "old.txt": null, gone: null })
  const changed = { "b.bin": Buffer.from([0, 2]), "new.txt": lines("six"), "\xfc\n": "1\n2\n" }
  const to = repo.commit(changed)
  const files = await listFileDiffs(repo.path, from, to)
  const as = (path: string, status: string, added?: number, removed?: number, oldPath?: string) => {
    return { path, oldPath, status, added, removed }
  }
  expect(files).toEqual([
    as("b.bin", "M"),
    as("gone", "D", 0, 1),
    as("new.txt", "R", 1, 1, "old.txt"),
    as("\xc3\xbc\n", "A", 2, 0),
  ])
})

test("a patch can be applied whatever the user has set, and runs none of their programs", async () => {
  using repo = new TestRepo()
  const from = repo.commit({ ".gitattributes": "*.txt diff=mine\n", "a.txt": "a\n" })
  const to = repo.commit({ "a.txt": "b\n" })
  const ran = join(repo.folder, "ran")
  for (const [key, value] of [
    ["diff.mine.textconv", `touch '${ran}'; cat`],
    ["diff.mine.command", `touch '${ran}'`],
    ["diff.external", `touch '${ran}'`],
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["color.ui", "always"],
  ] as const)
    repo.git("config", key, value)
  const { text, truncated } = await readDiff(repo.path, { from, to, bytesMax: 10_000 })
  expect(truncated).toBe(false)
  repo.write({ "p.patch": text })
  repo.git("apply", "--reverse", "p.patch")
  expect(repo.git("diff", "--no-ext-diff", "--no-textconv", "--quiet", from, "--", "a.txt")).toBe(
    "",
  )
  expect(() => repo.git("hash-object", ran)).toThrow()
})

test("a long patch is cut behind a whole line, and says so", async () => {
  using repo = new TestRepo()
  const from = repo.tip("main")
  const to = repo.commit({ "a.txt": "line\n".repeat(1000) })
  const { text, truncated } = await readDiff(repo.path, { from, to, bytesMax: 501 })
  expect(truncated).toBe(true)
  expect(text.length).toBeLessThanOrEqual(501)
  expect(text.endsWith("+line\n")).toBe(true)
})
