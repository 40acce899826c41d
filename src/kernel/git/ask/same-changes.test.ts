import { chmodSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { hasEachChange } from "./same-changes.ts"

/** A commit on a branch, and another one on main, which has something else before it. */
function changed(repo: TestRepo, { theirs, ours }: { theirs: Files; ours: Files }) {
  const commit = repo.commit(theirs, "theirs", repo.worktree("feat"))
  repo.commit({ other: "o" }, "before")
  return [repo.path, repo.commit(ours, "ours"), commit] as const
}

test("a change is the same to the byte, wherever it was made", async () => {
  const cases: readonly [Files, boolean][] = [
    [{ a: "if x:\n    y()\n" }, true],
    [{ a: "if x:\n  y()\n" }, false],
    [{ a: "if x:\n    y()\r\n" }, false],
    [{ a: "if x:\n    y()\n", b: null }, false],
  ]
  for (const [ours, isSame] of cases) {
    using repo = new TestRepo()
    repo.commit({ b: "b" })
    const [cwd, target, commit] = changed(repo, { theirs: { a: "if x:\n    y()\n" }, ours })
    expect(await hasEachChange(cwd, { target, commit })).toBe(isSame)
  }
})

test("in doubt it is another one: where a file of the change is gone", async () => {
  using repo = new TestRepo()
  const [cwd, target, commit] = changed(repo, { theirs: { a: "a" }, ours: { a: "a" } })
  const blob = repo.git("rev-parse", `${commit}:a`)
  const file = join(repo.path, ".git/objects", blob.slice(0, 2), blob.slice(2))
  chmodSync(file, 0o600)
  rmSync(file)
  expect(await hasEachChange(cwd, { target, commit })).toBe(false)
})

test("a change that differs in a submodule that is ignored is another one", async () => {
  using repo = new TestRepo()
  repo.git("config", "submodule.s.ignore", "all")
  repo.commit({ ".gitmodules": '[submodule "s"]\n path = s\n url = x\n' })
  const commits = [repo.worktree("feat"), repo.path].map((at, n) => {
    repo.write({ a: "a" }, at)
    repo.gitIn(at, "add", "a")
    repo.gitIn(at, "update-index", "--add", "--cacheinfo", `160000,${`${n + 1}`.repeat(40)},s`)
    repo.gitIn(at, "commit", "--quiet", "--message", "a")
    return repo.gitIn(at, "rev-parse", "HEAD") as Oid
  })
  const [commit, target] = commits as [Oid, Oid]
  expect(await hasEachChange(repo.path, { target, commit })).toBe(false)
})
