/** Unusual names, and worktrees in odd places. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { NewTask } from "../../src/api/wire/requests.ts"
import { parseConfig } from "../../src/config/parse.ts"
import { NewWorktree } from "../../src/features/clean-up/wire.ts"
import type { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import { TestRepo } from "../support/repo.ts"
import { recorded, removal, strategyOf, workspaceRequest } from "../support/workspaces.ts"

const strategy = strategyOf("/home/of/this/test")
const HOSTILE = ["../x", "/abs", "a\\b", "", "-x", "a/../b", ".", "..", "a\u0000b"]

test.each(HOSTILE)(
  "C13: %j is refused as an identity and as a name of agent or repository [25.3]",
  (id) => {
    expect(NewTask.safeParse({ prompt: "x", workItem: id }).success).toBe(false)
    expect(NewWorktree.safeParse({ ref: "x", workItem: id }).success).toBe(false)
    for (const section of ["agents", "repos"]) {
      const text = JSON.stringify({ version: 1, [section]: { [id]: {} } })
      expect(parseConfig(text, {}, "app").kind).toBe("invalid")
    }
  },
)

test("C13: identities that trackers have are taken as they are", () => {
  for (const id of ["gh-17", "LIN-42", "o/r#17", "notes/todo.md#3", "v1..2", "é"])
    expect(NewTask.safeParse({ prompt: "x", workItem: id }).success, id).toBe(true)
})

test("L09: without a work item a branch is still valid, and each task's its own [25.1]", async () => {
  using repo = new TestRepo()
  const branchPattern = "agent/{agent}/{workItem}/{scheduleName}/"
  const { branch } = await strategy.setup(workspaceRequest(repo, { branchPattern, title: "" }))
  expect(branch).toBe("agent/coder/7/manual")
  expect(() => repo.git("check-ref-format", "--branch", branch)).not.toThrow()
})

test("L14: a branch with unmerged commits is used again by its task, and never reset [25.5]", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  const tip = repo.commit({ "work.txt": "w\n" }, "work", first.worktree)
  repo.git("worktree", "remove", first.worktree)
  const earlier = { ...recorded(first), worktree: null } as never
  const again = await strategy.setup(workspaceRequest(repo, { earlier }))
  expect(again.branch).toBe(first.branch)
  expect(repo.gitIn(again.worktree, "rev-parse", "HEAD")).toBe(tip)
})

test("names that differ in case or composition alone stay distinct on a file system that mixes them up [25.2]", async () => {
  using repo = new TestRepo()
  repo.git("config", "core.ignorecase", "true")
  const own = (workItem: string, task: number) =>
    strategy.setup(workspaceRequest(repo, { workItem, task: task as never, title: "t" }))
  const lower = await own("gh-17", 1)
  const upper = await own("GH-17", 2)
  expect(lower.branch).toBe("agent/coder/gh-17")
  expect(upper.branch).toMatch(/^agent\/coder\/GH-17-[0-9a-f]{6}$/)
  const composed = await own("\u00e9", 3)
  const decomposed = await own("e\u0301", 4)
  expect(decomposed.branch.normalize("NFC")).not.toBe(composed.branch.normalize("NFC"))
  repo.git("worktree", "remove", upper.worktree)
  repo.git("branch", "-D", upper.branch)
  expect((await own("GH-17", 2)).branch, "the same each time").toBe(upper.branch)
})

test("a repository and a worktrees folder with spaces, unicode and links are used by their real paths", async () => {
  using repo = new TestRepo()
  const far = join(repo.folder, "wörk träes \u{1f333}")
  mkdirSync(far)
  symlinkSync(far, join(repo.folder, "link"))
  symlinkSync(repo.path, join(repo.folder, "linked repo"))
  const request = workspaceRequest(repo, { worktreeDir: join(repo.folder, "link") })
  const made = await strategy.setup(request)
  expect(made.worktree).toBe(join(far, "7-fix-the-typo"))
  expect(await strategy.setup({ ...request, earlier: recorded(made) })).toMatchObject({
    fresh: false,
  })
  writeFileSync(join(made.worktree, "å b.txt"), "work")
  const torn = await strategy.teardown(removal(repo, made, [repo.tip("main")]))
  expect(torn).toMatchObject({ worktree: "removed", rescued: [{ paths: ["å b.txt"] }] })
  await strategy.settled()
  expect(readdirSync(far)).toEqual([])
})

test("worktrees inside the repository stay out of its status; worktrees on another disk are removed as well", async () => {
  using repo = new TestRepo()
  const inside = await strategy.setup(workspaceRequest(repo, { worktreeDir: ".worktrees" }))
  expect(inside.worktree).toBe(join(repo.path, ".worktrees/7-fix-the-typo"))
  expect(repo.git("status", "--porcelain")).toBe("")
  const isElsewhere = (path: string) =>
    existsSync(path) && statSync(path).dev !== statSync(repo.folder).dev
  const disk = ["/dev/shm", "/tmp"].find(isElsewhere) ?? repo.folder
  const far = realpathSync(mkdtempSync(join(disk, "coppice-far-")))
  try {
    const task = 8 as never
    const made = await strategy.setup(workspaceRequest(repo, { worktreeDir: far, task }))
    writeFileSync(join(made.worktree, "work.txt"), "w")
    const torn = await strategy.teardown({ ...removal(repo, made, [repo.tip("main")]), task })
    expect(torn).toMatchObject({ worktree: "removed", branch: "deleted" })
    expect(torn.rescued).toHaveLength(1)
    await strategy.settled()
    expect(readdirSync(far)).toEqual([])
  } finally {
    rmSync(far, { recursive: true, force: true })
  }
})

test("neighbours whose worktrees lie in one folder, and homes of one repository, are not in each other's way [25.2]", async () => {
  using repo = new TestRepo()
  using neighbour = new TestRepo()
  const worktreeDir = join(repo.folder, "shared")
  const setUp = (by: GitWorktreeStrategy, at: TestRepo, earlier?: ReturnType<typeof recorded>) =>
    by.setup(workspaceRequest(at, { worktreeDir, earlier }))
  const own = await setUp(strategy, repo)
  const theirs = await setUp(strategy, neighbour)
  const otherHome = await setUp(strategyOf("/home/of/another"), repo)
  const name = join(worktreeDir, "7-fix-the-typo")
  const made = [own, theirs, otherHome].map(({ worktree }) => worktree)
  expect(made).toEqual([name, `${name}-2`, `${name}-3`])
  expect(otherHome.branch).not.toBe(own.branch)
  // Also where the first try was cut short, and where the neighbour's has gone since.
  expect(await setUp(strategy, neighbour)).toMatchObject({ worktree: `${name}-2` })
  repo.git("worktree", "remove", name)
  expect(await setUp(strategy, neighbour, recorded(theirs))).toEqual({ ...theirs, fresh: false })
})

test.each(["x".repeat(300), "\u{1f333}".repeat(100), "Ä".repeat(200)])(
  "a very long title or work item fits into a folder's and a ref's name [25.1]",
  async (long) => {
    using repo = new TestRepo()
    const made = await strategy.setup(workspaceRequest(repo, { title: long, workItem: long }))
    for (const name of [...made.worktree.split("/"), ...made.branch.split("/")])
      expect(Buffer.byteLength(`${name}.lock`)).toBeLessThanOrEqual(255)
    expect(repo.gitIn(made.worktree, "branch", "--show-current")).toBe(made.branch)
  },
)
