import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"

test.each([
  ["as it is", false],
  ["on top of a target that has moved", true],
])(
  "landed objects (%s) are in the repository's own store, wherever the agent borrowed them [14.8]",
  async (_, isBehind) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo, { gate: false })
    const worktree = repo.worktree("feat")
    const own = join(repo.path, ".git/objects")
    const foreign = join(repo.folder, "foreign")
    mkdirSync(foreign)
    writeFileSync(join(own, "info/alternates"), `${foreign}\n`)
    const env = {
      ...repo.env,
      GIT_OBJECT_DIRECTORY: foreign,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: own,
    }
    repo.write({ "d/a.txt": "a\n" }, worktree)
    for (const args of [
      ["add", "."],
      ["commit", "-qm", "A1"],
    ])
      execFileSync("git", args, { cwd: worktree, env })
    if (isBehind) repo.commit({ "m.txt": "m" }, "M1")
    expect(await it.run(it.submit({ branch: "feat" }))).toMatchObject({ state: "landed" })

    rmSync(join(own, "info/alternates"))
    rmSync(foreign, { recursive: true })
    expect(repo.git("show", "main:d/a.txt")).toBe("a")
    expect(repo.git("rev-list", "--objects", "main")).toContain("d/a.txt")
  },
)
