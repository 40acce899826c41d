import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { branchRef } from "../../core/ids.ts"
import { listConfig } from "../repository/config.ts"
import { areWorktreesPlain, WORKTREE_KEYS, writeNewWorktree } from "./new-worktree.ts"
import { addWorktree } from "./worktree-add.ts"
import { listWorktrees } from "./worktree-list.ts"

const common = (repo: TestRepo) => join(repo.path, ".git")

/** A repository with a branch for each, and what adds a worktree on it. */
function setUp(repo: TestRepo, name = "4-do") {
  repo.git("branch", name)
  const path = join(repo.folder, "worktrees", name)
  return { path, add: () => writeNewWorktree(common(repo), { path, ref: branchRef(name) }) }
}

test("adds it as git does", async () => {
  using repo = new TestRepo()
  const { path, add } = setUp(repo)
  const byGit = join(repo.folder, "worktrees/by-git")
  repo.git("branch", "by-git")
  await addWorktree(repo.path, { path: byGit, branch: "by-git" })

  expect(add()).toBe(true)

  const files = (id: string) => globSync("*", { cwd: join(common(repo), "worktrees", id) })
  const known = new Set(files("by-git"))
  const ours = files("4-do").sort()
  expect(ours).toEqual(["HEAD", "commondir", "gitdir"])
  expect(ours.filter((name) => !known.has(name))).toEqual([])
  const texts = (at: string, id: string) =>
    [join(at, ".git"), ...ours.map((name) => join(common(repo), "worktrees", id, name))].map(
      (file) => readFileSync(file, "utf8").replaceAll(id, "ID"),
    )
  expect(texts(path, "4-do")).toEqual(texts(byGit, "by-git"))
  const [, , listed] = (await listWorktrees(repo.path)).sort((a) => (a.path === path ? 1 : -1))
  expect(listed).toMatchObject({ path, branch: "refs/heads/4-do", locked: undefined })
  expect(repo.gitIn(path, "rev-parse", "HEAD", "--show-toplevel")).toBe(
    `${repo.tip("main")}\n${path}`,
  )
  repo.gitIn(path, "reset", "--quiet", "--hard")
  expect(repo.gitIn(path, "status", "--porcelain")).toBe("")
  repo.git("worktree", "prune", "--expire=now")
  repo.git("worktree", "remove", path)
  expect(existsSync(path)).toBe(false)
})

test("goes on where a killed one left its draft", () => {
  using repo = new TestRepo()
  const { path, add } = setUp(repo)
  const draft = join(common(repo), "coppice.worktree")
  mkdirSync(draft)
  writeFileSync(join(draft, "locked"), "initializing")
  expect(add()).toBe(true)
  expect(existsSync(draft)).toBe(false)
  expect(repo.gitIn(path, "symbolic-ref", "HEAD")).toBe("refs/heads/4-do")
})

const UNUSUAL: readonly (readonly [string, (repo: TestRepo, path: string) => unknown])[] = [
  ["git's folder has that name already", (repo) => mkdirSync(join(common(repo), "worktrees/4-do"))],
  ["something is in the way", (_, path) => writeFileSync(join(path, "theirs.txt"), "t")],
  ["something is a worktree there", (_, path) => writeFileSync(join(path, ".git"), "gitdir: no\n")],
]

test.each(UNUSUAL)("leaves it to git where %s", (_, arrange) => {
  using repo = new TestRepo()
  const { path, add } = setUp(repo)
  for (const folder of [path, join(common(repo), "worktrees")])
    mkdirSync(folder, { recursive: true })
  arrange(repo, path)
  const before = globSync(["**/*", "**/.*"], { cwd: repo.folder }).sort()
  expect(add()).toBe(false)
  expect(globSync(["**/*", "**/.*"], { cwd: repo.folder }).sort()).toEqual(before)
})

test("leaves it to git where the path goes through a link", () => {
  using repo = new TestRepo()
  const { add } = setUp(repo)
  mkdirSync(join(repo.folder, "elsewhere"))
  symlinkSync("elsewhere", join(repo.folder, "worktrees"))
  expect(add()).toBe(false)
  expect(existsSync(join(common(repo), "worktrees"))).toBe(false)
})

test.each([
  ["core.sparseCheckout", false],
  ["extensions.worktreeConfig", false],
  ["worktree.useRelativePaths", false],
  ["core.fileMode", true],
])("a repository with %s: plain is %s", async (key, isPlain) => {
  using repo = new TestRepo()
  repo.git("config", key, "true")
  expect(areWorktreesPlain(await listConfig(repo.path, `^(${WORKTREE_KEYS})$`))).toBe(isPlain)
})
