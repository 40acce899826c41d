import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { findMissing } from "./missing-files.ts"
import { findUnfilled } from "./unfilled-parts.ts"

const POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"

test("empty submodules and LFS pointers are found; filled ones are not [28.6]", async () => {
  using lib = new TestRepo()
  using repo = new TestRepo()
  const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.path]
  repo.git(...add, "lib")
  repo.git(...add, "filled")
  repo.commit({
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    "a.bin": POINTER,
    "b.bin": "the file itself",
    "c.txt": POINTER,
  })
  const worktree = repo.worktree("task")
  repo.write({ "filled/README.md": "there" }, worktree)
  expect(await findUnfilled(worktree)).toEqual({ submodules: ["lib"], pointers: ["a.bin"] })
  expect(await findUnfilled(lib.path)).toEqual({ submodules: [], pointers: [] })
})

test("paths of submodules that lead elsewhere are not followed [28.6]", async () => {
  using repo = new TestRepo()
  mkdirSync(join(repo.folder, "empty"))
  symlinkSync("../empty", join(repo.path, "link"))
  const module = (path: string) =>
    `[submodule "${path}"]\n\tpath = ${path}\n\turl = ext::sh -c true\n`
  repo.write({ ".gitmodules": ["../empty", "link", "/tmp"].map(module).join("") })
  expect((await findUnfilled(repo.path)).submodules).toEqual([])
  repo.write({ ".gitmodules": "[submodule\n" })
  expect((await findUnfilled(repo.path)).submodules).toEqual([])
})

test("ignored files in the user's root that a worktree lacks are missing; outputs are only counted", async () => {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "/.env*\nnode_modules/\ndist\n*.log\n.trees\n.venv\n" })
  const names = [".env", ".env.local", "a.log", "untracked.txt"]
  repo.write(Object.fromEntries(names.map((name) => [name, name])))
  for (const folder of ["node_modules", "dist", ".trees", ".venv"])
    mkdirSync(join(repo.path, folder))
  const worktree = repo.worktree("task")
  repo.write({ ".env": "its own", ".venv/x": "x" }, worktree)
  const isOurs = (path: string) => path === join(repo.path, ".trees")
  expect(await findMissing(repo.path, worktree, isOurs)).toEqual({
    wanted: [
      { path: ".env.local", by: "copy" },
      { path: "node_modules", by: "setup" },
    ],
    moreCount: 0,
    outputCount: 2,
  })
})
