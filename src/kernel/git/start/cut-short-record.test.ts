import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { git } from "./exec.ts"

/** As a `git worktree add` leaves it that was killed before it wrote `commondir`. */
function cutShort(repo: TestRepo) {
  const worktree = repo.worktree("cut-short")
  const record = repo.gitIn(worktree, "rev-parse", "--absolute-git-dir")
  writeFileSync(join(record, "commondir"), "")
  writeFileSync(join(record, "locked"), "initializing")
  expect(() => repo.git("rev-list", "--all")).toThrow(/failed to read .*commondir/)
  return { worktree, commonDir: join(record, "commondir") }
}

test("a worktree whose addition was killed breaks no git, neither ours nor the user's", async () => {
  using repo = new TestRepo()
  cutShort(repo)
  expect((await git(repo.path, ["rev-list", "--all"])).stdout.trim()).toBe(repo.tip("main"))
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(2)
})

test("that worktree itself works again", async () => {
  using repo = new TestRepo()
  const { worktree, commonDir } = cutShort(repo)
  await git(worktree, ["rev-list", "--all"])
  expect(readFileSync(commonDir, "utf8")).toBe("../..\n")
})

test("nothing is written through a link", async () => {
  using repo = new TestRepo()
  const { commonDir } = cutShort(repo)
  const file = join(repo.folder, "empty")
  writeFileSync(file, "")
  unlinkSync(commonDir)
  symlinkSync(file, commonDir)
  await expect(git(repo.path, ["rev-list", "--all"])).rejects.toThrow("failed to read")
  expect(readFileSync(file, "utf8")).toBe("")
})
