import { execFileSync } from "node:child_process"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { breakGit, installFaultyGit } from "../../../../test/support/faulty-git.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef } from "../../../base/ids.ts"
import { keepingGits } from "../../git/start/trace-commands.ts"
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

const shared = ".git/config"
const ownFile = ".git/config.worktree"
test.each([
  ["true", shared, "[core]\n\tbare = true\n"],
  ["another word for it", shared, "[core]\n\tbare = yes\n"],
  ["no value", shared, "[core] bare\n"],
  ["several values", shared, "[core]\n\tbare = false\n\tbare = 1\n"],
  ["the main worktree's own file", ownFile, "[core]\n\tbare = true\n"],
])("a checkout that `core.bare` hides from git is in the way: %s [5.6]", async (_, file, text) => {
  using repo = new TestRepo()
  const move = { target: branchRef("main"), from: repo.tip("main"), to: repo.tip("main") }
  if (file === ownFile) repo.git("config", "extensions.worktreeConfig", "true")
  appendFileSync(join(repo.path, file), text)
  const kept = join(repo.path, file)
  const cure = `git config --file ${kept} --unset-all core.bare`
  const expected = { kind: "inTheWay", reason: expect.stringContaining(`${kept} sets core.bare`) }
  for (const folder of [repo.path, join(repo.path, ".git")]) {
    const found = await lookAtCheckout(folder, move)
    expect(found, folder).toMatchObject(expected)
    expect(found).toMatchObject({ reason: expect.stringContaining(cure) })
    expect(await lookAtCheckout(folder, { ...move, target: branchRef("other") })).toMatchObject({
      kind: "none",
    })
  }
  execFileSync("sh", ["-c", cure])
  expect((await lookAtCheckout(repo.path, move)).kind).toBe("clear")
})

test("a bare repository whose index is of before, without files, has no checkout", async () => {
  using repo = new TestRepo()
  const move = { target: branchRef("main"), from: repo.tip("main"), to: repo.tip("main") }
  repo.git("config", "core.bare", "true")
  rmSync(join(repo.path, "README.md"))
  expect(await lookAtCheckout(repo.path, move)).toEqual({ kind: "none" })
})

test("a lock that another git takes during the look is named, and not taken for the user's edits [5.3]", async () => {
  using repo = new TestRepo()
  const to = repo.commit({ "README.md": "theirs" }, "A1", repo.worktree("feat"))
  const move = { target: branchRef("main"), from: repo.tip("main"), to }
  breakGit(repo, "index taken")
  const paths = [join(repo.path, ".git/index.lock")]
  expect(await lookAtCheckout(repo.path, move)).toMatchObject({ kind: "locked", paths })
})
