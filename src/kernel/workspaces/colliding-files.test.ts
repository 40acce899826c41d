import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Files, TestRepo } from "../../../test/support/repo.ts"
import type { TaskId } from "../../base/ids.ts"
import { clearCollisions } from "./colliding-files.ts"

/** A move that adds these files, in a worktree that ignores `build` and `*.o`. */
function withMove(files: Files) {
  const repo = new TestRepo()
  const from = repo.commit({ ".gitignore": "build\n*.o\n" }, "M0")
  const worktree = repo.worktree("feat")
  repo.write(files, worktree)
  repo.gitIn(worktree, "add", "--all", "--force")
  const to = repo.commit({}, "A1", worktree)
  repo.gitIn(worktree, "reset", "--quiet", "--hard", from)
  return { repo, worktree, move: { owner: { home: "one", task: 1 as TaskId }, from, to } }
}

test("ignored files in the way are rescued, then removed", async () => {
  const { repo, worktree, move } = withMove({ "x.o": "new", build: "new" })
  using _ = repo
  repo.write({ "x.o": "mine", "build/a": "mine too", "other.o": "stays" }, worktree)
  const rescued = await clearCollisions(worktree, move)
  expect(rescued?.paths.toSorted()).toEqual(["build/a", "x.o"])
  expect(repo.git("show", `${rescued?.ref}:build/a`)).toBe("mine too")
  expect(["x.o", "build/a", "other.o"].map((path) => existsSync(join(worktree, path)))).toEqual([
    false,
    false,
    true,
  ])
})

test.each<[string, Files]>([
  ["a file that it tracks", { "build/a": "new" }],
  ["its folder", { build: "new" }],
])("a nested repository is not replaced: %s", async (_, files) => {
  const { repo, worktree, move } = withMove(files)
  using _repo = repo
  const nested = join(worktree, "build")
  repo.write({ "build/a": "mine" }, worktree)
  repo.gitIn(nested, "init", "--quiet")
  repo.gitIn(nested, "add", ".")
  repo.gitIn(nested, "commit", "--quiet", "--message", "theirs")
  await expect(clearCollisions(worktree, move)).rejects.toMatchObject({
    code: "workspace.path_taken",
  })
  expect(readFileSync(join(nested, "a"), "utf8")).toBe("mine")
  expect(repo.gitIn(nested, "log", "--format=%s")).toBe("theirs")
})
