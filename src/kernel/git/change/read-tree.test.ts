import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listChanges } from "../ask/diff-tree.ts"
import { checkoutIndex } from "./checkout-index.ts"
import { readTree, resetTree, tryReadTree } from "./read-tree.ts"
import { refreshIndex, writeIndexInfo } from "./update-index.ts"

/** Two commits; the checkout and the branch are at `from`. */
function setUp(repo: TestRepo) {
  const from = repo.commit({ a: "old", gone: "gone", other: "other" })
  const to = repo.commit({ a: "new", gone: null, "b/c": "c" })
  repo.git("reset", "--quiet", "--hard", from)
  return { from, to }
}
const read = (repo: TestRepo, path: string) => readFileSync(join(repo.path, path), "utf8")

test("advances a checkout and keeps edits that are not in the way [5.2]", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  repo.write({ other: "mine", untracked: "mine" })
  const pids: number[] = []
  expect(await refreshIndex(repo.path)).toEqual({ kind: "done" })
  expect(await tryReadTree(repo.path, move)).toEqual({ kind: "done" })
  expect(read(repo, "a")).toBe("old")
  expect(await readTree(repo.path, move, { onPid: (pid) => pids.push(pid) })).toEqual({
    kind: "done",
  })
  repo.git("update-ref", "refs/heads/main", move.to)
  expect(repo.git("status", "--porcelain")).toBe("M other\n?? untracked")
  expect(pids).toHaveLength(1)
})

test.each([
  ["an edit", { a: "mine" }],
  ["an untracked file", { "b/c": "mine" }],
  ["an untracked file where a folder goes", { b: "mine" }],
])("is refused by %s, which stays as it is", async (_, files) => {
  using repo = new TestRepo()
  const move = setUp(repo)
  repo.write(files)
  const [[path, content]] = Object.entries(files) as [[string, string]]
  expect(await tryReadTree(repo.path, move)).toEqual({ kind: "refused" })
  expect((await readTree(repo.path, move)).kind).toBe("refused")
  expect(read(repo, path)).toBe(content)
  expect(read(repo, "gone")).toBe("gone")
})

test("a held index lock is reported, and not waited for", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  repo.write({ other: "mine" })
  writeFileSync(join(repo.path, ".git/index.lock"), "")
  const entries = [{ path: "a", mode: "100644", oid: repo.tip("HEAD:a") }] as never
  const results = [
    await refreshIndex(repo.path),
    await readTree(repo.path, move),
    await resetTree(repo.path, move.to),
    await writeIndexInfo(repo.path, entries),
  ]
  expect(results).toEqual(results.map(() => ({ kind: "locked" })))
  expect(await tryReadTree(repo.path, move)).toMatchObject({ kind: "locked" })
  expect(read(repo, "other")).toBe("mine")
})

test("a checkout can be finished entry by entry, from what differs", async () => {
  using repo = new TestRepo()
  const { from, to } = setUp(repo)
  const changes = await listChanges(repo.path, from, to)
  const entries = changes.map(({ path, newMode, newOid }) => ({ path, mode: newMode, oid: newOid }))
  expect(await writeIndexInfo(repo.path, entries)).toEqual({ kind: "done" })
  const kept = changes.filter(({ status }) => status !== "D").map(({ path }) => path)
  await checkoutIndex(repo.path, kept)
  repo.git("update-ref", "refs/heads/main", to)
  expect(repo.git("status", "--porcelain")).toBe("?? gone")
  expect(read(repo, "b/c")).toBe("c")
})

test("a reset fills an empty worktree, and keeps untracked files", async () => {
  using repo = new TestRepo()
  const { to } = setUp(repo)
  const path = join(repo.folder, "w")
  repo.git("worktree", "add", "--quiet", "--detach", "--no-checkout", path, to)
  repo.write({ untracked: "mine" }, path)
  expect(await resetTree(path, to)).toEqual({ kind: "done" })
  expect(repo.gitIn(path, "status", "--porcelain")).toBe("?? untracked")
})
