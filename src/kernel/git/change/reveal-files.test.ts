import { statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { readStatus } from "../ask/status.ts"
import { revealAll, revealPresent } from "./reveal-files.ts"

function hide(repo: TestRepo): void {
  repo.commit({ "assumed.txt": "a", "skipped.txt": "s", "gone.txt": "g", "both.txt": "b" })
  repo.git("update-index", "--assume-unchanged", "assumed.txt", "both.txt")
  repo.git("update-index", "--skip-worktree", "skipped.txt", "gone.txt", "both.txt")
  const edit = "edited"
  repo.write({ "assumed.txt": edit, "skipped.txt": edit, "gone.txt": null, "both.txt": edit })
}

test("edits hidden from git are found; an absent file does not count as deleted", async () => {
  using repo = new TestRepo()
  hide(repo)
  expect((await readStatus(repo.path)).unstaged).toEqual([])
  await revealPresent(repo.path)
  const seen = ["assumed.txt", "both.txt", "skipped.txt"]
  expect((await readStatus(repo.path)).unstaged).toEqual(seen)
})

test("revealAll also reveals absent files, so that they can be restored", async () => {
  using repo = new TestRepo()
  hide(repo)
  await revealAll(repo.path)
  const seen = ["assumed.txt", "both.txt", "gone.txt", "skipped.txt"]
  expect((await readStatus(repo.path)).unstaged).toEqual(seen)
})

test("settings that make git look less closely do not hide an edit", async () => {
  using repo = new TestRepo()
  repo.git("config", "core.checkStat", "minimal")
  repo.git("config", "core.trustctime", "false")
  repo.git("config", "core.ignoreStat", "true")
  repo.commit({ "a.txt": "a" })
  repo.git("update-index", "--no-assume-unchanged", "a.txt")
  const { atime, mtime } = statSync(join(repo.path, "a.txt"))
  repo.write({ "a.txt": "b" })
  utimesSync(join(repo.path, "a.txt"), atime, mtime)
  expect((await readStatus(repo.path)).unstaged).toEqual(["a.txt"])
})
