/** Which folders hold no worktrees: the cases of another user need root. */
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { madeFolder } from "./made-folder.ts"

const isRoot = process.geteuid?.() === 0
const OTHER = 12_345

const refusal = (fault: string, hint: string) => ({
  code: "workspace.path_refused",
  message: expect.stringContaining(fault),
  hints: expect.arrayContaining([expect.stringContaining(hint)]),
})

test.each([
  ["that all users can write", 0o777, "that all users can write"],
  ["that a group can write", 0o775, "that a group can write"],
])("a folder %s holds no worktree [28.20]", async (_what, mode, fault) => {
  using repo = new TestRepo()
  const folder = join(repo.folder, "repo.worktrees")
  mkdirSync(folder)
  if (isRoot) chownSync(folder, 0, OTHER)
  chmodSync(folder, mode)
  if (isRoot || mode === 0o777)
    await expect(madeFolder(folder, repo.path)).rejects.toMatchObject(refusal(fault, "chmod go-w"))
  chmodSync(folder, 0o1777)
  expect(await madeFolder(folder, repo.path), "sticky: no other user replaces a worktree").toBe(
    folder,
  )
})

test.runIf(isRoot)("a folder of another user holds no worktree (as root) [28.20]", async () => {
  using repo = new TestRepo()
  const theirs = join(repo.folder, "theirs")
  const inside = join(theirs, "worktrees")
  mkdirSync(inside, { recursive: true })
  chownSync(theirs, OTHER, OTHER)
  const link = join(repo.folder, "link")
  mkdirSync(join(repo.folder, "mine"))
  symlinkSync("mine", link)
  lchownSync(link, OTHER, OTHER)
  for (const folder of [theirs, inside, link])
    await expect(madeFolder(folder, repo.path), folder).rejects.toMatchObject(
      refusal("another user", "worktree_dir"),
    )
})

test("a link in the repository leads to no folder for worktrees, since it can have landed [28.20]", async () => {
  using repo = new TestRepo()
  mkdirSync(join(repo.folder, "elsewhere"))
  symlinkSync("../elsewhere", join(repo.path, ".worktrees"))
  const made = madeFolder(join(repo.path, ".worktrees"), repo.path)
  await expect(made).rejects.toMatchObject(refusal("is a link", "worktree_dir"))
})

test("a new folder is closed to other users [43.34]", async () => {
  using repo = new TestRepo()
  chmodSync(repo.folder, 0o2755)
  const folder = await madeFolder(join(repo.folder, "repo.worktrees"), repo.path)
  expect((statSync(folder).mode & 0o7777).toString(8)).toBe("700")
})

test("a folder is as safe as one that holds the repository too [28.20]", async () => {
  using repo = new TestRepo()
  chmodSync(repo.folder, 0o777)
  const folder = join(repo.folder, "a/b")
  expect(await madeFolder(folder, repo.path)).toBe(join(realpathSync(repo.folder), "a/b"))
})
