import { mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { findGitDir } from "../start/git-dir.ts"
import { listLogged } from "./logged-commits.ts"

test.each(["a usual", "a bare"])(
  "a commit that was amended away is in the log of a worktree of %s repository, also where git is asked",
  async (kind) => {
    using repo = new TestRepo()
    const [main, worktree] = [join(repo.folder, "main"), join(repo.folder, "linked")]
    repo.gitIn(
      repo.folder,
      "clone",
      "-q",
      ...(kind === "a bare" ? ["--bare"] : []),
      repo.path,
      main,
    )
    repo.gitIn(main, "worktree", "add", "-q", "-b", "work", worktree)
    const commit = ["commit", "-q", "--allow-empty", "-m", "work"]
    repo.gitIn(worktree, ...commit)
    repo.gitIn(worktree, ...commit, "--amend")
    const gone = repo.gitIn(worktree, "rev-parse", "HEAD@{1}").trim()
    const gitDir = findGitDir(worktree)!
    const listed = await listLogged(gitDir, undefined)
    expect(listed).toContain(gone)
    mkdirSync(join(realpathSync(repo.gitIn(worktree, "rev-parse", "--git-common-dir")), "reftable"))
    expect((await listLogged(gitDir, undefined)).toSorted()).toEqual(listed.toSorted())
  },
)
