import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { listWorktrees } from "../git/ask/worktree-list.ts"
import { removeWorktree } from "../git/change/worktree-remove.ts"
import { deleteTrash, moveToTrash, trashName } from "./trash.ts"

async function remove(repo: TestRepo, path: string, trash = trashName(path)): Promise<void> {
  await moveToTrash(path, trash)
  await removeWorktree(repo.path, path)
}

test("removes a worktree that is locked, dirty, read-only, gone or removed already", async () => {
  using repo = new TestRepo()
  const path = repo.worktree("w")
  repo.git("worktree", "lock", "--reason", "initializing", path)
  mkdirSync(join(path, "cache"))
  repo.write({ "cache/f": "f", untracked: "u" }, path)
  chmodSync(join(path, "cache"), 0o500)
  expect((await listWorktrees(repo.path))[1]?.locked).toBe("initializing")

  const trash = trashName(path)
  await remove(repo, path, trash)
  expect(existsSync(path)).toBe(false)
  expect(await listWorktrees(repo.path)).toHaveLength(1)
  expect(await deleteTrash(trash)).toEqual({ kind: "deleted" })
  expect(readdirSync(join(repo.folder, "worktrees"))).toEqual([])
  await remove(repo, path, trash)

  const gone = repo.worktree("gone")
  rmSync(gone, { recursive: true })
  expect((await listWorktrees(repo.path))[1]).toMatchObject({ path: gone, prunable: true })
  await remove(repo, gone)
  expect(await listWorktrees(repo.path)).toHaveLength(1)
})

test("a removal that a crash cut off behind the rename is finished when it is repeated", async () => {
  using repo = new TestRepo()
  const path = repo.worktree("w")
  renameSync(path, trashName(path))
  await remove(repo, path)
  expect(await listWorktrees(repo.path)).toHaveLength(1)
})

test("a deletion that is stopped does not wait for the one before it", async () => {
  using repo = new TestRepo()
  const names = Array.from({ length: 3_000 }, (_, n) => [`../large/${n}`, ""])
  repo.write({ ...Object.fromEntries(names), "../small/file": "" })
  const [large, small] = ["large", "small"].map((name) => join(repo.folder, name))
  const ended: string[] = []
  const first = deleteTrash(large!).then(() => ended.push("large"))
  const second = deleteTrash(small!, AbortSignal.abort()).then(() => ended.push("small"))
  await Promise.all([first, second])
  expect(ended).toEqual(["small", "large"])
  expect(existsSync(join(small!, "file"))).toBe(true)
})
