/** A worktree whose record in git was forged is never replaced, and the hint names the way out. */
import { execSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"
import type { AppError } from "../../../base/errors.ts"

const strategy = strategyOf("/home/of/this/test")

test("a worktree whose record in git names another folder is kept, and the hint puts it right", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  const { worktree, branch, base } = first
  const record = join(repo.gitIn(worktree, "rev-parse", "--absolute-git-dir"), "gitdir")
  writeFileSync(record, `${repo.path}/.git\n`)
  repo.write({ "mine.txt": "mine" }, worktree)
  const request = workspaceRequest(repo, { earlier: { branch, worktree, base } })

  const refused = await strategy.setup(request).catch((error: unknown) => error)

  expect(refused).toMatchObject({ code: "workspace.path_taken" })
  const [, command = ""] = /`(git [^`]+)`/.exec((refused as AppError).hints.join()) ?? []
  execSync(command, { stdio: "ignore" })
  expect(await strategy.setup(request)).toMatchObject({ worktree, branch, fresh: false })
  expect(readFileSync(join(worktree, "mine.txt"), "utf8")).toBe("mine")
})
