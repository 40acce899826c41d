import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { readDiff } from "./diff.ts"
import { listChanges } from "./diff-tree.ts"
import { gitPath } from "./path.ts"

test("lists what differs, path by path", async () => {
  using repo = new TestRepo()
  const from = repo.commit({ "d/a": "a", gone: "gone", type: "t", same: "s" })
  repo.write({ type: null })
  symlinkSync("same", join(repo.path, "type"))
  const to = repo.commit({ "d/a": "b", gone: null, "new\n\t": "n" })
  const changes = await listChanges(repo.path, from, to)
  expect(changes.map(({ path, status }) => `${status} ${path}`)).toEqual([
    "M d/a",
    "D gone",
    "A new\n\t",
    "T type",
  ])
  expect(changes[1]).toMatchObject({
    oldMode: "100644",
    oldOid: repo.tip(`${from}:gone`),
    newMode: "000000",
    newOid: "0".repeat(40),
  })
})

test("reads the same whatever the user's settings for diffs", async () => {
  using repo = new TestRepo()
  const from = repo.commit({ a: "1\n2\n3\n4\n5\n", ".gitattributes": "a diff=d\n", "b b": "x\n" })
  const to = repo.commit({ a: "1\n2\n3\n4\nfive\n", "b b": "ü\n" })
  const plain = await readDiff(repo.path, from, to, { bytesMax: 10_000 })
  const settings = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.external": "false",
    "diff.d.command": "false",
    "diff.d.textconv": "false",
    "diff.context": "0",
    "diff.orderFile": "/nonexistent",
    "color.ui": "always",
    "color.diff": "always",
    "diff.relative": "true",
  }
  for (const [key, value] of Object.entries(settings)) repo.git("config", key, value)

  expect(await readDiff(repo.path, from, to, { bytesMax: 10_000 })).toBe(plain)
  expect(plain).toContain("--- a/a\n+++ b/a\n@@ -2,4 +2,4 @@")
  expect(plain).toContain("+ü\n")
  const some = await readDiff(repo.path, from, to, { paths: [gitPath("b b")], bytesMax: 10_000 })
  expect(some).not.toContain("five")
  expect(await readDiff(repo.path, from, to, { bytesMax: 20 })).toBe(
    `${plain.slice(0, 20)}\n[cut after 20 bytes]\n`,
  )
})
