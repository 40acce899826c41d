import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { breakGit, installFaultyGit } from "../../../../test/support/faulty-git.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef } from "../../../base/ids.ts"
import { keepingGits } from "../../git/start/trace.ts"
import { lookAtCheckout } from "./target-checkout.ts"

const faulty = installFaultyGit()
afterAll(() => faulty[Symbol.dispose]())

test("an edit hidden from git is named, although `git status` does not list it [5.1]", async () => {
  using repo = new TestRepo()
  const to = repo.commit({ "README.md": "theirs" }, "A1", repo.worktree("feat"))
  repo.git("update-index", "--skip-worktree", "README.md")
  repo.write({ "README.md": "mine" })
  const move = { target: branchRef("main"), from: repo.tip("main"), to }
  const inTheWay = { kind: "inTheWay", paths: ["README.md"] }
  expect(await lookAtCheckout(repo.path, move)).toMatchObject(inTheWay)
})

test("the index is listed only where a path of the move is unexpectedly there, or gone", async () => {
  using repo = new TestRepo()
  const to = repo.commit({ "README.md": "theirs", "new/a.txt": "a" }, "A1", repo.worktree("feat"))
  const move = { target: branchRef("main"), from: repo.tip("main"), to }
  const look = async () => {
    const gits: string[] = []
    const found = await keepingGits(
      (lines) => gits.push(...lines),
      () => lookAtCheckout(repo.path, move),
    )
    return { kind: found.kind, isListed: gits.some((line) => line.includes("git ls-files")) }
  }
  expect(await look()).toEqual({ kind: "clear", isListed: false })
  repo.write({ "new/a.txt": "mine" })
  expect(await look()).toEqual({ kind: "inTheWay", isListed: true })
  rmSync(join(repo.path, "new"), { recursive: true })
  rmSync(join(repo.path, "README.md"))
  expect(await look()).toEqual({ kind: "inTheWay", isListed: true })
})

test("a lock that another git takes during the look is named, and not taken for the user's edits [5.3]", async () => {
  using repo = new TestRepo()
  const to = repo.commit({ "README.md": "theirs" }, "A1", repo.worktree("feat"))
  const move = { target: branchRef("main"), from: repo.tip("main"), to }
  breakGit(repo, "index taken")
  const paths = [join(repo.path, ".git/index.lock")]
  expect(await lookAtCheckout(repo.path, move)).toMatchObject({ kind: "locked", paths })
})
