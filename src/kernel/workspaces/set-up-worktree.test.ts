import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import {
  recorded,
  removal,
  strategyOf,
  workspaceRequest,
} from "../../../test/support/workspaces.ts"
import type { TaskId } from "../../base/ids.ts"
import type { MadeBranch } from "./workspace.ts"

const strategy = strategyOf("/home/of/this/test")
const branchOf = (repo: TestRepo, worktree: string) =>
  repo.gitIn(worktree, "branch", "--show-current")
const statusOf = (repo: TestRepo, worktree: string) =>
  repo.gitIn(worktree, "status", "--porcelain", "--ignored")

test("a task gets a whole checkout of the target, on a branch and at a path of its own", async () => {
  using repo = new TestRepo()
  const workspace = await strategy.setup(workspaceRequest(repo))
  expect(workspace).toEqual({
    worktree: join(repo.folder, "repo.worktrees/7-fix-the-typo"),
    branch: "agent/coder/7-fix-the-typo",
    base: repo.tip("main"),
    fresh: true,
    placed: [],
    copied: [],
    linked: [],
    copiedEntries: 0,
    notices: [],
  })
  expect(branchOf(repo, workspace.worktree)).toBe(workspace.branch)
  expect(readFileSync(join(workspace.worktree, "README.md"), "utf8")).toBe("hello\n")
  expect(statusOf(repo, workspace.worktree)).toBe("")
  expect(statusOf(repo, repo.path)).toBe("")
})

test("a repeated set-up finds the same worktree, with the agent's work in it [6.3]", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  writeFileSync(join(first.worktree, "work.txt"), "half done")
  const again = await strategy.setup(workspaceRequest(repo, { earlier: recorded(first) }))
  expect(again).toEqual({ ...first, fresh: false })
  expect(readFileSync(join(first.worktree, "work.txt"), "utf8")).toBe("half done")
})

test("L08: a title full of forbidden characters still gets a worktree and a branch", async () => {
  using repo = new TestRepo()
  const title = "Fix: a~b .. @{1}.lock"
  const { worktree, branch } = await strategy.setup(workspaceRequest(repo, { title }))
  expect(branchOf(repo, worktree)).toBe(branch)
  expect(branch).toBe("agent/coder/7-fix-a-b-1-lock")
})

test("L09: without work item and title, the branch is named after the task", async () => {
  using repo = new TestRepo()
  const { branch } = await strategy.setup(workspaceRequest(repo, { workItem: "", title: "" }))
  expect(branch).toBe("agent/coder/7")
})

test("L10: a repository without commits is a clear error, and leaves nothing behind", async () => {
  using repo = new TestRepo({ commit: false })
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
    code: "workspace.no_commits",
    blame: "user",
    hints: [expect.stringContaining("git commit --allow-empty")],
  })
  expect(existsSync(join(repo.folder, "repo.worktrees"))).toBe(false)
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
})

test("L10: a shallow clone works, and a target that does not exist is named", async () => {
  using repo = new TestRepo()
  repo.commit({ "a.txt": "a" })
  const path = join(repo.folder, "shallow")
  repo.git("clone", "--quiet", "--depth=1", `file://${repo.path}`, path)
  const { worktree } = await strategy.setup(workspaceRequest({ path }, { fetch: true }))
  expect(existsSync(join(worktree, "a.txt"))).toBe(true)
  await expect(
    strategy.setup(workspaceRequest({ path }, { target: "next" })),
  ).rejects.toMatchObject({ code: "workspace.target_missing", blame: "user" })
})

test("a bare repository gets worktrees too", async () => {
  using repo = new TestRepo()
  const path = repo.clone("bare.git", "--bare")
  const request = workspaceRequest({ path }, { repoName: "bare.git", copy: [".env"] })
  const { worktree, notices } = await strategy.setup(request)
  expect(worktree).toBe(join(repo.folder, "bare.worktrees/7-fix-the-typo"))
  expect(existsSync(join(worktree, "README.md"))).toBe(true)
  expect(notices).toEqual([expect.stringContaining("bare")])
})

test("L06: a branch that a person made is never adopted, whatever work item and pattern say [25.4]", async () => {
  using repo = new TestRepo()
  const workItem = "gh-17"
  const theirs = "agent/coder/gh-17"
  repo.git("branch", theirs) // nothing in it yet
  const first = await strategy.setup(workspaceRequest(repo, { workItem }))
  expect(first.branch).toBe(`${theirs}-2`)
  repo.git("switch", "--quiet", theirs)
  const work = repo.commit({ "theirs.txt": "theirs" })
  const second = await strategy.setup(workspaceRequest(repo, { workItem, task: 8 as TaskId }))
  expect(second).toMatchObject({ branch: `${theirs}-3`, base: repo.tip("main") })
  await strategy.teardown(removal(repo, second, [repo.tip("main")]))
  expect(repo.tip(theirs)).toBe(work)
})

test("a branch is recorded before it is made, and an unrecorded one is never used [25.4]", async () => {
  using repo = new TestRepo()
  const made: MadeBranch[] = []
  const recordBranch = (branch: MadeBranch) => {
    expect(repo.git("for-each-ref", "refs/heads/agent")).toBe("")
    made.push(branch)
  }
  const { branch, base } = await strategy.setup(workspaceRequest(repo, { recordBranch }))
  expect(made).toEqual([{ branch, at: base }])
})

test("a task's own branch that a person has checked out is in use [25.7]", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  repo.git("worktree", "remove", first.worktree)
  repo.git("switch", "--quiet", first.branch)
  await expect(
    strategy.setup(workspaceRequest(repo, { earlier: recorded(first) })),
  ).rejects.toMatchObject({
    code: "workspace.branch_in_use",
    message: expect.stringContaining(repo.path),
  })
})

test("tasks whose pattern gives equal names get branches of their own", async () => {
  using repo = new TestRepo()
  repo.gitIn(repo.worktree("theirs"), "symbolic-ref", "HEAD", "refs/heads/agent/2024-01-02-2")
  const branches = []
  for (const task of [1, 2, 3] as TaskId[]) {
    const request = workspaceRequest(repo, { task, branchPattern: "agent/{date}" })
    branches.push((await strategy.setup(request)).branch)
  }
  expect(branches).toEqual(["agent/2024-01-02", "agent/2024-01-02-3", "agent/2024-01-02-4"])
})

test("a task's branch is never the target itself, whatever the pattern gives", async () => {
  using repo = new TestRepo()
  repo.git("switch", "--quiet", "-c", "elsewhere")
  const change = { branchPattern: "{workItem}", workItem: "main" }
  expect((await strategy.setup(workspaceRequest(repo, change))).branch).toBe("main-2")
})

test.each([
  ["agent", "refs/heads/agent"],
  ["agent/coder/7-fix-the-typo/more", "refs/heads/agent/coder/7-fix-the-typo/more"],
])("a branch %s in the way is an error that names it", async (branch, ref) => {
  using repo = new TestRepo()
  repo.git("branch", branch)
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
    code: "workspace.branch_clash",
    blame: "user",
    message: expect.stringContaining(ref),
  })
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
})

test("a path in use is left alone: a folder, a file, a worktree, another home's", async () => {
  using repo = new TestRepo()
  const path = join(repo.folder, "repo.worktrees/7-fix-the-typo")
  const refused = () =>
    expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
      code: "workspace.path_taken",
      message: expect.stringContaining(path),
    })
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, "notes.txt"), "mine")
  await refused()
  expect(readFileSync(join(path, "notes.txt"), "utf8")).toBe("mine")
  rmSync(path, { recursive: true })
  writeFileSync(path, "a file")
  await refused()
  rmSync(path)
  repo.git("worktree", "add", "--quiet", "--no-checkout", "--detach", path)
  expect((await strategy.setup(workspaceRequest(repo))).worktree).toBe(`${path}-2`)
  expect(repo.git("worktree", "list")).toContain(`${path} `)
  repo.git("worktree", "remove", "--force", path)
  await strategyOf("/another/home").setup(workspaceRequest(repo))
  rmSync(join(path, "README.md")) // as if that home were about to fill it
  const beside = await strategy.setup(workspaceRequest(repo))
  expect(beside.worktree).toBe(`${path}-2`)
  expect(existsSync(join(path, "README.md"))).toBe(false)
  expect(branchOf(repo, path)).toBe("agent/coder/7-fix-the-typo-2")
})

test("a worktree that was kept for the repository inside it is not replaced", async () => {
  using repo = new TestRepo()
  const { worktree } = await strategy.setup(workspaceRequest(repo))
  repo.gitIn(worktree, "init", "--quiet", "nested")
  const inside = repo.commit({ "in.txt": "in" }, "inside", join(worktree, "nested"))
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
    code: "workspace.path_taken",
  })
  expect(repo.gitIn(join(worktree, "nested"), "rev-parse", "HEAD")).toBe(inside)
})

test("a worktree that git cannot add leaves no branch behind", async () => {
  using repo = new TestRepo()
  writeFileSync(join(repo.path, ".git/worktrees"), "in the way")
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({ code: "git.failed" })
  expect(repo.git("for-each-ref", "refs/heads/agent")).toBe("")
})

test("L14: a worktree that is gone comes back with the branch and its commits", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  const work = repo.commit({ "work.txt": "work" }, "work", first.worktree)
  repo.commit({ "other.txt": "other" })
  rmSync(first.worktree, { recursive: true })

  const again = await strategy.setup(workspaceRequest(repo, { earlier: recorded(first) }))

  expect(again).toMatchObject({ worktree: first.worktree, branch: first.branch, base: first.base })
  expect(again.fresh).toBe(true)
  expect(again.notices).toEqual([expect.stringContaining(first.branch)])
  expect(repo.gitIn(again.worktree, "rev-parse", "HEAD")).toBe(work)
  expect(statusOf(repo, again.worktree)).toBe("")
})

test("a branch whose lock is held is not set up at another commit than its own", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  repo.git("worktree", "remove", first.worktree)
  repo.commit({ "other.txt": "other" })
  const lock = join(repo.path, ".git/refs/heads", `${first.branch}.lock`)
  writeFileSync(lock, "")
  const setUp = () => strategy.setup(workspaceRequest(repo, { earlier: recorded(first) }))

  await expect(setUp()).rejects.toMatchObject({ code: "workspace.ref_busy" })

  rmSync(lock)
  const { worktree } = await setUp()
  expect(statusOf(repo, worktree)).toBe("")
  expect(repo.gitIn(worktree, "rev-parse", "HEAD")).toBe(repo.tip("main"))
})

test("S25: a task that landed and is resumed starts from the target, under the same names", async () => {
  using repo = new TestRepo()
  const first = await strategy.setup(workspaceRequest(repo))
  repo.git("worktree", "remove", first.worktree)
  repo.git("branch", "-D", first.branch)
  const now = repo.commit({ "landed.txt": "landed" })
  const earlier = { branch: first.branch, worktree: null, base: first.base }
  const again = await strategy.setup(workspaceRequest(repo, { earlier }))
  expect(again).toEqual({ ...first, base: now })
})

test("a worktree that its owner locked is not cleared", async () => {
  using repo = new TestRepo()
  const { worktree } = await strategy.setup(workspaceRequest(repo))
  repo.git("worktree", "lock", "--reason", "on a stick", worktree)
  rmSync(worktree, { recursive: true })
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
    code: "workspace.path_taken",
  })
  expect(repo.git("worktree", "list", "--porcelain")).toContain("on a stick")
})

test("work starts from the upstream if it is ahead, and from the local target if they have diverged", async () => {
  using repo = new TestRepo()
  repo.addOrigin()
  repo.git("branch", "--set-upstream-to=origin/main", "main")
  const other = repo.clone("other")
  repo.gitIn(other, "remote", "set-url", "origin", join(repo.folder, "origin.git"))
  const theirs = repo.commit({ "theirs.txt": "theirs" }, "theirs", other)
  repo.gitIn(other, "push", "--quiet", "origin", "main")

  const ahead = await strategy.setup(workspaceRequest(repo, { fetch: true }))
  expect(ahead).toMatchObject({ base: theirs, notices: [] })
  expect(existsSync(join(ahead.worktree, "theirs.txt"))).toBe(true)
  expect(repo.git("config", "--list")).not.toContain(`branch.${ahead.branch}`)

  const ours = repo.commit({ "ours.txt": "ours" })
  const diverged = await strategy.setup(workspaceRequest(repo, { task: 8 as TaskId }))
  expect(diverged).toMatchObject({ base: ours, notices: [expect.stringContaining("diverged")] })
})

test("a remote that does not answer is a notice, and the work starts all the same", async () => {
  using repo = new TestRepo()
  repo.git("remote", "add", "origin", join(repo.folder, "nowhere"))
  const { notices, base } = await strategy.setup(workspaceRequest(repo, { fetch: true }))
  expect(base).toBe(repo.tip("main"))
  expect(notices).toEqual([expect.stringContaining("origin could not be fetched")])
})

test("T17: a worktrees folder inside the repository is never seen by its status", async () => {
  using repo = new TestRepo()
  const request = workspaceRequest(repo, { worktreeDir: ".worktrees" })
  const { worktree } = await strategy.setup(request)
  await strategy.setup({ ...request, task: 8 as TaskId })
  expect(worktree).toBe(join(repo.path, ".worktrees/7-fix-the-typo"))
  expect(repo.git("status", "--porcelain")).toBe("")
  const exclude = readFileSync(join(repo.path, ".git/info/exclude"), "utf8")
  expect(exclude.match(/worktrees/g)).toHaveLength(1)
})

test.each(["submodule", "clone"])(
  "an outer repository does not take in the worktrees of a %s [25.19]",
  async (kind) => {
    using outer = new TestRepo()
    using repo = new TestRepo()
    const add =
      kind === "clone" ? ["clone"] : ["-c", "protocol.file.allow=always", "submodule", "add"]
    outer.git(...add, "--quiet", repo.path, "libs/inner")
    const path = join(outer.path, "libs/inner")
    const { worktree } = await strategy.setup(workspaceRequest({ path }, { repoName: "inner" }))
    expect(worktree.startsWith(join(outer.path, "libs/inner.worktrees/"))).toBe(true)
    outer.git("add", "-A")
    expect(outer.git("ls-files", "libs")).toBe("libs/inner")
  },
)

test("the whole tree is there even if the main checkout is sparse, and that stays so", async () => {
  using repo = new TestRepo()
  repo.commit({ "a/a.txt": "a", "b/b.txt": "b" })
  repo.git("sparse-checkout", "set", "a")
  const { worktree } = await strategy.setup(workspaceRequest(repo))
  expect(existsSync(join(worktree, "b/b.txt"))).toBe(true)
  expect(statusOf(repo, worktree)).toBe("")
  expect(existsSync(join(repo.path, "b"))).toBe(false)
  expect(repo.git("config", "core.sparseCheckout")).toBe("true")
})

test("hooks of the repository do not run", async () => {
  using repo = new TestRepo()
  const mark = join(repo.folder, "hook-ran")
  const hook = join(repo.path, ".git/hooks/post-checkout")
  writeFileSync(hook, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 })
  await strategy.setup(workspaceRequest(repo))
  expect(existsSync(mark)).toBe(false)
})

test("works if the worktrees folder is reached through a symbolic link", async () => {
  using repo = new TestRepo()
  mkdirSync(join(repo.folder, "real"))
  symlinkSync("real", join(repo.folder, "repo.worktrees"))
  const first = await strategy.setup(workspaceRequest(repo))
  expect(first.worktree).toBe(join(repo.folder, "real/7-fix-the-typo"))
  const again = await strategy.setup(workspaceRequest(repo, { earlier: recorded(first) }))
  expect(again.fresh).toBe(false)
})

test("a folder that cannot be made is an error that names the setting", async () => {
  using repo = new TestRepo()
  writeFileSync(join(repo.folder, "repo.worktrees"), "a file")
  await expect(strategy.setup(workspaceRequest(repo))).rejects.toMatchObject({
    code: "workspace.path_refused",
    hints: [expect.stringContaining("worktree_dir")],
  })
})
