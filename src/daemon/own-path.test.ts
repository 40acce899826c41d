import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../test/support/repo.ts"
import { withRepoLock } from "../kernel/workspaces/locks/repo-lock.ts"
import { withoutWork } from "./own-path.ts"

test("no program is found in a relative folder, or where work of agents is checked out [43.37]", async () => {
  using repo = new TestRepo()
  const bin = join(repo.path, "node_modules/.bin")
  const link = join(repo.folder, "link")
  const own = join(repo.folder, "own")
  mkdirSync(bin, { recursive: true })
  mkdirSync(own)
  symlinkSync(bin, link)
  const kept = `${own}:/usr/bin`
  const given = `${bin}::${own}:.:node_modules/.bin:${link}:${repo.path}/later:/usr/bin:`
  expect(withoutWork(given, [repo.path])).toBe(kept)
  expect(withoutWork(given, [])).toBe(`${bin}:${own}:${link}:${repo.path}/later:/usr/bin`)
  const other = join(repo.worktree("other"), "bin")
  await withRepoLock(join(repo.path, ".git"), async () => {})
  expect(withoutWork(`${other}:${given}`, [])).toBe(kept)
  expect(withoutWork(`.:${bin}`, [])).toBe("/usr/bin:/bin")
})
