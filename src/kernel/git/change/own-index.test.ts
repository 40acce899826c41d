import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { Oid } from "../../../base/ids.ts"
import { onIndexCopy } from "./index-copy.ts"
import { findIndexLock, onOwnIndex } from "./own-index.ts"
import { readTree, tryReadTree } from "./read-tree.ts"

const lockOf = (repo: TestRepo) => join(repo.path, ".git/index.lock")
test("the index changes at the end of the work, and no other git can write it until then", async () => {
  using repo = new TestRepo()
  repo.write({ "a.txt": "a" })
  const index = () => readFileSync(join(repo.path, ".git/index"))
  const before = index()
  const result = await onOwnIndex(repo.path, async ({ indexFile }) => {
    execFileSync("git", ["update-index", "--add", "a.txt"], {
      cwd: repo.path,
      env: { ...repo.env, GIT_INDEX_FILE: indexFile },
    })
    expect(index()).toEqual(before)
    expect(() => repo.git("add", "a.txt")).toThrow(/index.lock/)
    expect(await findIndexLock(repo.path)).toBe(lockOf(repo))
    expect(await onOwnIndex(repo.path, async () => "second")).toMatchObject({ kind: "locked" })
    return "first"
  })
  expect([result, existsSync(lockOf(repo))]).toEqual(["first", false])
  expect(repo.git("status", "--porcelain")).toBe("A  a.txt")
})

test("work that throws leaves the index as it was, and no lock", async () => {
  using repo = new TestRepo()
  const before = repo.git("ls-files", "--stage")
  const work = async ({ indexFile }: { indexFile: string }) => {
    writeFileSync(indexFile, "garbage")
    throw new Error("failed")
  }
  await expect(onOwnIndex(repo.path, work)).rejects.toThrow("failed")
  expect([repo.git("ls-files", "--stage"), existsSync(lockOf(repo))]).toEqual([before, false])
})

test.each(["", "DIRC", "{}", "[1]"])("a lock that is not ours is left alone: %j", async (text) => {
  using repo = new TestRepo()
  writeFileSync(lockOf(repo), text)
  expect(await onOwnIndex(repo.path, async () => "work")).toMatchObject({ kind: "locked" })
  expect(readFileSync(lockOf(repo), "utf8")).toBe(text)
})

test("work on a throw-away copy changes nothing", async () => {
  using repo = new TestRepo()
  const before = readFileSync(join(repo.path, ".git/index"))
  await onIndexCopy(repo.path, async (indexFile) => writeFileSync(indexFile, ""))
  expect(readFileSync(join(repo.path, ".git/index"))).toEqual(before)
})

const nowS = () => Math.floor(Date.now() / 1000)

/** A file that was edited in the second of the index's last write, to the same size. */
async function racyEdit(repo: TestRepo): Promise<{ from: Oid; to: Oid }> {
  const from = repo.commit({ "a.txt": "old" })
  const to = repo.commit({ "a.txt": "new" })
  return await waitFor("an edit within one second", async () => {
    const startedS = nowS()
    repo.git("reset", "--quiet", "--hard", from)
    repo.write({ "a.txt": "own" })
    if (nowS() !== startedS) return undefined
    await waitFor("the next second", () => nowS() > startedS)
    return { from, to }
  })
}

test("an edit in the very second of the index's last write is seen by way of a copy too", async () => {
  using repo = new TestRepo()
  const move = await racyEdit(repo)
  expect(await tryReadTree(repo.path, move)).toEqual({ kind: "refused" })
  expect(await readTree(repo.path, move)).toMatchObject({ kind: "refused" })
  expect(readFileSync(join(repo.path, "a.txt"), "utf8")).toBe("own")
})

test("an index that its work left alone is as old as before, in whole seconds", async () => {
  using repo = new TestRepo()
  await racyEdit(repo)
  await onOwnIndex(repo.path, async () => "nothing")
  expect(repo.git("status", "--porcelain")).toBe("M a.txt")
})
