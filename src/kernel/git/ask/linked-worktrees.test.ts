import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listLinked } from "./linked-worktrees.ts"
import { listWorktrees } from "./worktree-list.ts"

test("tells the linked worktrees that git tells, with their locks, and none that is half made", async () => {
  using repo = new TestRepo()
  const commonDir = join(repo.path, ".git")
  expect(listLinked(commonDir)).toEqual([])
  const odd = join(repo.folder, "ö, a space\nand a line")
  for (const path of [odd, join(repo.folder, "plain"), join(repo.folder, "stick")])
    repo.git("worktree", "add", "--quiet", "--detach", path)
  repo.git("worktree", "lock", "--reason", "on a stick", join(repo.folder, "stick"))
  repo.git("worktree", "lock", join(repo.folder, "plain"))
  const [, ...known] = await listWorktrees(repo.path)
  const listed = listLinked(commonDir)
  expect(listed.map(({ locked }) => locked)).toEqual(expect.arrayContaining(["on a stick", ""]))
  const facts = known.map(({ path, gitDir, locked }) => ({ path, gitDir, locked }))
  expect(listed).toHaveLength(3)
  expect(listed).toEqual(expect.arrayContaining(facts))

  mkdirSync(join(commonDir, "worktrees/begun"))
  writeFileSync(join(commonDir, "worktrees/begun/locked"), "initializing")
  expect(listLinked(commonDir)).toHaveLength(3)
})

test("a worktree that cannot be read is not taken for none", () => {
  using repo = new TestRepo()
  const commonDir = join(repo.path, ".git")
  repo.worktree("feat")
  const [{ gitDir } = { gitDir: "" }] = listLinked(commonDir)
  rmSync(join(gitDir, "gitdir"))
  expect(listLinked(commonDir)).toEqual([])
  mkdirSync(join(gitDir, "gitdir"))
  expect(() => listLinked(commonDir)).toThrow("is not a plain file")
})
