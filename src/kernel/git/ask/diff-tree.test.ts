import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listChanges } from "./diff-tree.ts"

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

test("a diff between commits does not read the index, which can be large", async () => {
  using repo = new TestRepo()
  const from = repo.tip("HEAD")
  const to = repo.commit({ a: "a" })
  writeFileSync(join(repo.path, ".git/index"), "no index")
  expect(await listChanges(repo.path, from, to)).toMatchObject([{ status: "A", path: "a" }])
})
