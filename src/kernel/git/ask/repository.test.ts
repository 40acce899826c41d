import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { findRepository } from "./repository.ts"
import { gitPaths } from "./rev-parse.ts"

test("finds the main worktree from any folder of any worktree, by its real path", async () => {
  using repo = new TestRepo()
  const linked = repo.worktree("b")
  mkdirSync(join(linked, "deep"))
  symlinkSync(repo.path, join(repo.folder, "link"))
  const found = {
    root: repo.path,
    commonDir: join(repo.path, ".git"),
    bare: false,
  }
  for (const folder of [
    repo.path,
    join(linked, "deep"),
    join(repo.path, ".git/hooks"),
    join(repo.folder, "link"),
  ])
    expect(await findRepository(folder)).toEqual(found)
})

test("finds one whose path has line breaks, as files of git and of refs are found there", async () => {
  using repo = new TestRepo()
  const root = join(repo.folder, "of\ntwo lines\n")
  mkdirSync(join(root, "deep"), { recursive: true })
  repo.gitIn(root, "init", "--quiet")
  const found = { root, commonDir: join(root, ".git"), bare: false }
  expect(await findRepository(join(root, "deep"))).toEqual(found)
  const names = ["HEAD.lock", "index"]
  expect(await gitPaths(root, names)).toEqual(names.map((name) => join(root, ".git", name)))
})

test("finds a bare repository, also from its linked worktrees", async () => {
  using repo = new TestRepo()
  const bare = repo.clone("bare.git", "--bare")
  const linked = join(repo.folder, "linked")
  repo.gitIn(bare, "worktree", "add", "--quiet", linked, "main")
  const found = { root: bare, commonDir: bare, bare: true }
  expect(await findRepository(bare)).toEqual(found)
  expect(await findRepository(linked)).toEqual(found)
})

test("finds the worktree of a submodule", async () => {
  using repo = new TestRepo()
  using inner = new TestRepo()
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
  const root = join(repo.path, "sub")
  repo.gitIn(root, "worktree", "add", "--quiet", "-b", "w", join(repo.folder, "w"))
  const found = { root, commonDir: join(repo.path, ".git/modules/sub"), bare: false }
  expect(await findRepository(root)).toMatchObject(found)
  expect(await findRepository(join(repo.folder, "w"))).toMatchObject(found)
})

test("is undefined where there is none, and an error where git refuses the one that is there", async () => {
  using repo = new TestRepo()
  expect(await findRepository(repo.folder)).toBeUndefined()
  writeFileSync(join(repo.path, ".git/config"), "[core]\n\trepositoryformatversion = 99\n")
  await expect(findRepository(repo.path)).rejects.toMatchObject({
    code: "git.repository_refused",
    message: expect.stringContaining(`${repo.path}: `),
    hints: expect.arrayContaining([expect.stringContaining(`safe.directory ${repo.path}`)]),
  })
})
