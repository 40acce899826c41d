/** The tests that every strategy must pass; each implementation's test file runs them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { workspaceRequest } from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../base/ids.ts"
import type { Workspace, WorkspaceStrategy } from "./workspace.ts"

/** A repository in which a person is working. */
function inUse(): TestRepo {
  const repo = new TestRepo()
  repo.write({ "README.md": "theirs, staged\n" })
  repo.git("add", "README.md")
  repo.write({ "README.md": "theirs\n", "notes.txt": "theirs as well\n" })
  return repo
}

/** Everything in the user's own checkout: files, index, branch, settings. */
function checkoutOf(repo: TestRepo) {
  const names = readdirSync(repo.path).filter((name) => name !== ".git")
  const files = names.map((name) => [name, readFileSync(join(repo.path, name), "utf8")])
  const index = readFileSync(join(repo.path, ".git/index")).toString("hex")
  const settings = readFileSync(join(repo.path, ".git/config"), "utf8")
  return { files, index, settings, head: repo.git("symbolic-ref", "HEAD"), tip: repo.tip("main") }
}

/** The record that `setup` gets of an earlier workspace, and `teardown` of the one to remove. */
const recordOf = ({ branch, worktree, base }: Workspace) =>
  branch === undefined ? undefined : { branch, worktree, base }
const removalOf = (repo: TestRepo, { branch, worktree, placed }: Workspace) => {
  const what = { task: 7 as TaskId, repo: repo.path, safeCommits: [repo.tip("main")] }
  return { ...what, branch, worktree, placed, reason: "it was tried", before: undefined }
}

/** Whether `text` is still in the folder, or in a commit that a ref keeps. */
function isKept(repo: TestRepo, worktree: string, file: string, text: string): boolean {
  const path = join(worktree, file)
  if (existsSync(path)) return readFileSync(path, "utf8") === text
  const refs = repo.git("for-each-ref", "--format=%(refname)").split("\n")
  return refs.some((ref) => {
    const files = repo.git("ls-tree", "-r", "--name-only", ref).split("\n")
    return files.includes(file) && `${repo.git("show", `${ref}:${file}`)}\n` === text
  })
}

export function workspaceContract(name: string, create: () => WorkspaceStrategy): void {
  describe(`every strategy: ${name}`, () => {
    test("is set up so that an agent can work there, and again after it has worked", async () => {
      using repo = inUse()
      const strategy = create()
      const first = await strategy.setup(workspaceRequest(repo))
      expect(readFileSync(join(first.worktree, "README.md"), "utf8")).not.toBe("")
      expect(first.base).toBe(repo.tip("main"))
      writeFileSync(join(first.worktree, "work.txt"), "half done\n")

      const earlier = recordOf(first)
      const again = await create().setup(workspaceRequest(repo, { earlier }))
      expect(again).toMatchObject({ worktree: first.worktree, branch: first.branch, fresh: false })
      expect(readFileSync(join(again.worktree, "work.txt"), "utf8")).toBe("half done\n")
    })

    test("the user's checkout stays as it is, and an agent's work is never lost [25.9]", async () => {
      using repo = inUse()
      const strategy = create()
      const before = checkoutOf(repo)
      const workspace = await strategy.setup(workspaceRequest(repo))
      expect(checkoutOf(repo)).toEqual(before)
      repo.commit({ "done.txt": "committed\n" }, "work", workspace.worktree)
      writeFileSync(join(workspace.worktree, "work.txt"), "uncommitted\n")

      const worked = checkoutOf(repo)
      await strategy.teardown(removalOf(repo, workspace))
      await strategy.teardown(removalOf(repo, workspace))
      expect(checkoutOf(repo)).toEqual(worked)
      expect(isKept(repo, workspace.worktree, "done.txt", "committed\n")).toBe(true)
      expect(isKept(repo, workspace.worktree, "work.txt", "uncommitted\n")).toBe(true)
    })

    test("an abandoned set-up ends, with the signal's reason", async () => {
      using repo = inUse()
      const signal = AbortSignal.abort(new Error("withdrawn"))
      await expect(create().setup(workspaceRequest(repo, { signal }))).rejects.toThrow("withdrawn")
    })
  })
}
