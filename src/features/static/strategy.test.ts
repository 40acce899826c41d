import { mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { workspaceRequest } from "../../../test/support/workspaces.ts"
import { assert } from "../../base/assert.ts"
import { workspaceContract } from "../../kernel/workspaces/contract.ts"
import { listFolderChanges } from "../../kernel/workspaces/folder-state.ts"
import { StaticStrategy } from "./strategy.ts"

workspaceContract("static", () => new StaticStrategy())

const strategy = new StaticStrategy()

test("it reports changes by the agent, and not those from before [25.9]", async () => {
  using repo = new TestRepo()
  repo.commit({ "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "ignored\n" })
  repo.write({ "a.txt": "the user's\n", "notes.txt": "the user's\n" })
  const { asFound } = await strategy.setup(workspaceRequest(repo))
  assert(asFound, "the folder was read")
  expect(await listFolderChanges(repo.path, asFound)).toEqual([])

  writeFileSync(join(repo.path, "ignored"), "x")
  repo.write({ "notes.txt": "the agent's\n", "new.txt": "new\n", "b.txt": null })
  expect(await listFolderChanges(repo.path, asFound)).toEqual(["b.txt", "new.txt", "notes.txt"])
  repo.git("add", "--all")
  repo.git("commit", "--quiet", "--message", "the agent commits")
  expect(await listFolderChanges(repo.path, asFound)).toEqual(["b.txt", "new.txt", "notes.txt"])
})

test("a user's linked worktree will do; a folder inside a repository, or without one, will not", async () => {
  using repo = new TestRepo()
  const linked = repo.worktree("somebody")
  expect(await strategy.setup(workspaceRequest({ path: linked }))).toMatchObject({
    worktree: linked,
  })
  const inside = join(repo.path, "packages")
  mkdirSync(inside)
  for (const path of [inside, repo.folder, join(repo.folder, "gone")])
    await expect(strategy.setup(workspaceRequest({ path }))).rejects.toMatchObject({
      code: "workspace.folder_refused",
    })
})

test("a folder with an unfinished merge can be worked in, too", async () => {
  using repo = new TestRepo()
  repo.git("checkout", "--quiet", "-b", "other")
  repo.commit({ "README.md": "other\n" })
  repo.git("checkout", "--quiet", "main")
  repo.commit({ "README.md": "ours\n" })
  expect(() => repo.git("merge", "other")).toThrow()
  const { asFound } = await strategy.setup(workspaceRequest(repo))
  assert(asFound, "the folder was read")
  repo.write({ "README.md": "merged\n" })
  expect(await listFolderChanges(repo.path, asFound)).toEqual(["README.md"])
})

test("a folder with too much that is in no commit has no record of its files", async () => {
  using repo = new TestRepo()
  repo.write({ "dump.bin": "" })
  truncateSync(join(repo.path, "dump.bin"), 2 ** 30) // sparse: takes no room
  await expect(listFolderChanges(repo.path, repo.tip("main^{tree}"))).rejects.toMatchObject({
    code: "workspace.rescue_too_large",
    message: expect.stringMatching(/more than a record of its files takes \(dump\.bin\)\.$/),
  })
})
