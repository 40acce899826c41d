import { appendFileSync, chmodSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { CONVERTED, commitConverted, touch } from "../../../../test/support/converted.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { listDifferingFiles } from "./differing-files.ts"
import { readStatus } from "./status.ts"

test.each(Object.entries(CONVERTED))(
  "%s is changed by an edit, and not as a checkout wrote it [4.17]",
  async (_, converted) => {
    using repo = new TestRepo()
    commitConverted(repo, converted)
    const worktree = repo.worktree("task")
    touch(worktree)
    expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("M f")
    const read = async () => ({
      status: (await readStatus(worktree)).unstaged,
      differing: await listDifferingFiles(worktree, repo.tip("main")),
    })
    expect(await read()).toEqual({ status: [], differing: [] })
    chmodSync(join(worktree, "f"), 0o755)
    expect(await read()).toEqual({ status: ["f"], differing: ["f"] })
    chmodSync(join(worktree, "f"), 0o644)
    appendFileSync(join(worktree, "f"), "edited\n")
    expect(await read()).toEqual({ status: ["f"], differing: ["f"] })
  },
)
