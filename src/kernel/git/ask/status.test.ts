import { execFileSync } from "node:child_process"
import { existsSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { GitPath } from "../../../base/ids.ts"
import { joinBytes } from "../start/git-path.ts"
import { readStatus } from "./status.ts"

const CLEAN = {
  staged: [],
  added: [],
  stagedMade: [],
  unstaged: [],
  untracked: [],
  unmerged: [],
  submodules: [],
  modes: {},
}

test("tells what is staged, edited and new, whatever the user's settings and the folder", async () => {
  using repo = new TestRepo()
  repo.commit({ a: "a", b: "b", "c d": "c", "deep/.gitignore": "*.o\n" })
  for (const setting of [
    "status.showUntrackedFiles=no",
    "status.relativePaths=true",
    "status.branch=true",
  ])
    repo.git("config", ...(setting.split("=") as [string, string]))
  for (const [key, value] of [
    ["color.ui", "always"],
    ["status.showStash", "true"],
    ["core.quotePath", "true"],
  ])
    repo.git("config", key!, value!)
  repo.write({ b: "stash" })
  repo.git("stash")
  repo.write({ a: "edited", b: "staged", "c d": null, "deep/ü\n": "new", "deep/x.o": "ignored" })
  repo.git("add", "b")
  repo.write({ b: "staged and edited" })
  writeFileSync(joinBytes(repo.path, "deep/\xff" as GitPath), "")

  expect(await readStatus(join(repo.path, "deep"))).toEqual({
    ...CLEAN,
    staged: ["b"],
    unstaged: ["a", "b", "c d"],
    untracked: ["deep/\xc3\xbc\n", "deep/\xff"],
  })
})

test("tells conflicts, and a rename as a deletion and an addition", async () => {
  using repo = new TestRepo()
  const base = repo.commit({ f: "1" })
  repo.git("checkout", "--quiet", "-b", "other")
  repo.commit({ f: "2" })
  repo.git("checkout", "--quiet", "-b", "mine", base)
  repo.commit({ f: "3" })
  expect(() => repo.git("merge", "other")).toThrow()
  repo.git("mv", "README.md", "README")
  expect(await readStatus(repo.path)).toEqual({
    ...CLEAN,
    staged: ["README", "README.md"],
    added: ["README"],
    unmerged: ["f"],
  })
})

test("tells nested repositories and changes inside submodules, even of ignored ones", async () => {
  using repo = new TestRepo()
  using inner = new TestRepo()
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
  repo.commit({})
  repo.git("config", "diff.ignoreSubmodules", "all")
  repo.git("config", "submodule.sub.ignore", "all")
  repo.write({ "sub/new": "x" })
  execFileSync("git", ["init", "--quiet", join(repo.path, "nested")], { env: repo.env })
  repo.write({ "nested/f": "x" })
  expect(await readStatus(repo.path)).toEqual({
    ...CLEAN,
    unstaged: ["sub"],
    untracked: ["nested/"],
    submodules: [{ path: "sub", modified: false, untracked: true }],
  })
})

test("a filter that a nested repository names for itself does not run [14.1]", async () => {
  using repo = new TestRepo()
  const nested = join(repo.path, "nested")
  const mark = join(repo.folder, "mark")
  execFileSync("git", ["init", "--quiet", nested], { env: repo.env })
  repo.write({ "nested/f": "x", "nested/.gitattributes": "* filter=x\n" })
  repo.git("-C", "nested", "add", ".")
  repo.git("-C", "nested", "commit", "--quiet", "--message=inner")
  repo.git("add", "nested")
  repo.commit({})
  repo.git("-C", "nested", "config", "filter.x.clean", `touch ${mark}; cat`)
  repo.write({ "nested/f": "y" })
  expect(await readStatus(repo.path)).toEqual({
    ...CLEAN,
    unstaged: ["nested"],
    submodules: [{ path: "nested", modified: true, untracked: false }],
  })
  expect(existsSync(mark)).toBe(false)
})

test("status does not write the index [5.1]", async () => {
  using repo = new TestRepo()
  utimesSync(join(repo.path, "README.md"), 1, 1) // `git status` would note the new time
  const before = repo.git("hash-object", ".git/index")
  expect(await readStatus(repo.path)).toEqual(CLEAN)
  expect(repo.git("hash-object", ".git/index")).toBe(before)
})
