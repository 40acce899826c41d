import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { CONVERTED, commitConverted } from "../../../../test/support/converted.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { fillWorktree } from "../../workspaces/git-worktree/fill-worktree.ts"

test("in a new worktree `git add --all` takes an edit of the same size, and nothing that no one changed [4.17]", async () => {
  using repo = new TestRepo()
  commitConverted(repo, CONVERTED["CRLF in a text"]!)
  const worktree = join(repo.folder, "task")
  repo.git("worktree", "add", "--quiet", "--no-checkout", "--detach", worktree)
  await fillWorktree(worktree, repo.tip("main"), { checkout: [] })
  writeFileSync(join(worktree, "README.md"), "HELLO\n")
  repo.gitIn(worktree, "add", "--all")
  expect(repo.gitIn(worktree, "diff", "--cached", "--name-only")).toBe("README.md")
})
