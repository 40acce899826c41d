import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { onIndexCopy } from "./index-copy.ts"
import { writeTree } from "./write-tree.ts"

test("an index that is not the worktree's own becomes a tree, and stays as it is", async () => {
  using repo = new TestRepo()
  writeFileSync(join(repo.path, "new.txt"), "new\n")
  await onIndexCopy(repo.path, async (indexFile) => {
    await git(repo.path, ["add", "new.txt"], { env: indexEnv(indexFile) })
    const before = [readFileSync(indexFile), statSync(indexFile).mtimeMs]
    const tree = await writeTree(repo.path, { indexFile })
    expect(repo.git("ls-tree", "--name-only", tree)).toContain("new.txt")
    expect([readFileSync(indexFile), statSync(indexFile).mtimeMs]).toEqual(before)
  })
})
