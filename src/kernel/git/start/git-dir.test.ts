import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { commonDirOf, findGitDir } from "./git-dir.ts"

test("finds what git finds, in every kind of worktree", () => {
  using repo = new TestRepo()
  repo.git("init", "--quiet", "--separate-git-dir", join(repo.folder, "apart.git"), "../apart")
  const link = join(repo.folder, "link")
  symlinkSync(repo.path, link)
  const apart = join(repo.folder, "apart")
  for (const path of [repo.path, repo.worktree("b"), apart, link]) {
    const [own, common] = repo
      .gitIn(path, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
      .split("\n")
    expect(findGitDir(path)).toBe(realpathSync(own!))
    expect(commonDirOf(realpathSync(own!))).toBe(realpathSync(common!))
  }
})

test("leaves everything unusual to git", () => {
  using repo = new TestRepo()
  mkdirSync(join(repo.path, "sub/.git"), { recursive: true })
  for (const path of [join(repo.path, "sub"), repo.clone("bare.git", "--bare"), repo.folder])
    expect(findGitDir(path)).toBeUndefined()
})
