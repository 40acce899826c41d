import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { deleteRef, deleteRefs, prepareRef, updateRef } from "./update-ref.ts"

const main = branchRef("main")

/** main is at `from`, checked out; `to` is its child. */
function setUp(repo: TestRepo) {
  const from = repo.tip("main")
  const to = repo.commit({ "a.txt": "a" })
  repo.git("update-ref", main, from)
  return { ref: main, from, to, reason: "land 7" }
}

test("moves the ref when it is where we left it", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  expect(await updateRef(repo.path, move)).toEqual({ kind: "moved" })
  expect(repo.tip("main")).toBe(move.to)
  expect(repo.git("reflog", "-1", "--format=%gs", main)).toBe("land 7")
})

test("returns where the ref is if another process moved it first, and leaves it there [2.1]", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  const actual = repo.commit({ "theirs.txt": "theirs" })
  expect(await updateRef(repo.path, move)).toEqual({ kind: "stale", actual })
  expect(await deleteRef(repo.path, move)).toEqual({ kind: "stale", actual })
  expect(await prepareRef(repo.path, move)).toEqual({ kind: "stale", actual })
  expect(repo.tip("main")).toBe(actual)
})

test("if many processes move a ref from the same commit, one wins [2.1]", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  const results = await Promise.all(Array.from({ length: 10 }, () => updateRef(repo.path, move)))
  expect(results.filter(({ kind }) => kind === "moved")).toHaveLength(1)
})

test.each(["refs/heads/main.lock", "HEAD.lock"])("waits behind %s", async (lock) => {
  using repo = new TestRepo()
  const move = setUp(repo)
  writeFileSync(join(repo.path, ".git", lock), "")
  expect(await updateRef(repo.path, move)).toEqual({ kind: "locked" })
  expect(await prepareRef(repo.path, move)).toEqual({ kind: "locked" })
  expect(repo.tip("main")).toBe(move.from)
})

test.each(["sha1", "sha256"] as const)("makes and deletes a ref of %s", async (objectFormat) => {
  using repo = new TestRepo({ objectFormat })
  const [ref, to] = [branchRef("new"), repo.tip("main")]
  const create = { ref, from: null, to, reason: "keep" }
  expect(await updateRef(repo.path, create)).toEqual({ kind: "moved" })
  expect(await updateRef(repo.path, create)).toEqual({ kind: "stale", actual: to })
  repo.git("pack-refs", "--all")
  expect(await deleteRef(repo.path, { ref, from: to, reason: "done" })).toEqual({ kind: "moved" })
  const gone = { kind: "stale", actual: undefined }
  expect(await deleteRef(repo.path, { ref, from: to, reason: "done" })).toEqual(gone)
})

test("fails when the ref is fine and git is not", async () => {
  using repo = new TestRepo()
  const to = "0123456789012345678901234567890123456789" as ReturnType<TestRepo["tip"]>
  const failure = { code: "git.failed", blame: "world" }
  await expect(updateRef(repo.path, { ...setUp(repo), to })).rejects.toMatchObject(failure)
  const clash = { ref: branchRef("main/sub"), from: null, to: repo.tip("main"), reason: "r" }
  await expect(updateRef(repo.path, clash)).rejects.toMatchObject(failure)
})

test("a prepared move keeps everybody else out until it commits", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  const prepared = await prepareRef(repo.path, move)
  if (prepared.kind !== "prepared") throw new Error(prepared.kind)
  expect(await updateRef(repo.path, move)).toEqual({ kind: "locked" })
  expect(() => repo.git("commit", "--allow-empty", "-m", "mine")).toThrow()
  await prepared.commit()
  expect(repo.tip("main")).toBe(move.to)
  expect(repo.git("reflog", "-1", "--format=%gs", main)).toBe("land 7")
})

test("a prepared move that is dropped leaves nothing behind", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  {
    await using prepared = (await prepareRef(repo.path, move)) as AsyncDisposable & { kind: string }
    expect(prepared.kind).toBe("prepared")
  }
  expect(repo.tip("main")).toBe(move.from)
  expect(existsSync(join(repo.path, ".git/refs/heads/main.lock"))).toBe(false)
  expect(existsSync(join(repo.path, ".git/HEAD.lock"))).toBe(false)
})

test("tells when the git that holds the locks was killed", async () => {
  using repo = new TestRepo()
  const prepared = await prepareRef(repo.path, setUp(repo))
  if (prepared.kind !== "prepared") throw new Error(prepared.kind)
  process.kill(prepared.pid, "SIGKILL")
  await expect(prepared.commit()).rejects.toMatchObject({ code: "git.failed" })
})

test("a killed git that may have left the lock is an error, so that the caller removes the lock", async () => {
  using repo = new TestRepo()
  const move = setUp(repo)
  const lock = join(repo.path, ".git/refs/heads/main.lock")
  const onPid = (pid: number) => {
    process.kill(pid, "SIGKILL")
    writeFileSync(lock, "")
  }
  const killed = { code: "git.failed", transient: true }
  await expect(prepareRef(repo.path, move, { onPid })).rejects.toMatchObject(killed)
  rmSync(lock)
  expect(repo.tip("main")).toBe(move.from)
})

test("a symbolic ref is moved and deleted itself, never the branch that it stands for", async () => {
  using repo = new TestRepo()
  const tip = repo.tip("main")
  const to = repo.git("commit-tree", "main^{tree}", "-m", "work") as Oid
  const names = ["refs/heads/task", "refs/coppice/7/head", "refs/coppice/7/candidate"] as RefName[]
  for (const ref of names) repo.git("symbolic-ref", ref, "refs/heads/main")
  const [moved, deleted, forgotten] = names as [RefName, RefName, RefName]
  const reason = "test"

  expect(await updateRef(repo.path, { ref: moved, from: tip, to, reason })).toEqual({
    kind: "moved",
  })
  expect((await deleteRef(repo.path, { ref: deleted, from: tip, reason })).kind).toBe("moved")
  await deleteRefs(repo.path, [forgotten])
  expect([repo.tip("main"), repo.tip(moved)]).toEqual([tip, to])
  expect(repo.git("for-each-ref", "--format=%(refname)").split("\n")).toEqual([
    "refs/heads/main",
    moved,
  ])
})
