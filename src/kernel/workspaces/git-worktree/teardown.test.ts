import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import {
  removal,
  storeOf,
  strategyOf,
  workspaceRequest,
} from "../../../../test/support/workspaces.ts"
import type { Oid, TaskId } from "../../../base/ids.ts"
import { recordWorktree } from "../rows/worktrees.ts"
import type { BranchWorkspace } from "../workspace.ts"

const strategy = strategyOf("/home/of/this/test")
const setUp = (repo: TestRepo) => strategy.setup(workspaceRequest(repo))
const tearDown = (repo: TestRepo, workspace: BranchWorkspace, safeCommits: readonly Oid[]) =>
  strategy.teardown(removal(repo, workspace, safeCommits))

const hasBranch = (repo: TestRepo, name: string) =>
  repo.git("for-each-ref", `refs/heads/${name}`) !== ""

function expectGone(repo: TestRepo, { worktree, branch }: BranchWorkspace) {
  expect(existsSync(worktree)).toBe(false)
  expect(hasBranch(repo, branch)).toBe(false)
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
}

test("after landing all is removed: folder, entry and branch with its settings, and nothing needs a rescue", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const commit = repo.commit({ "work.txt": "work" }, "work", workspace.worktree)
  repo.git("merge", "--quiet", "--ff-only", workspace.branch)
  repo.git("config", `branch.${workspace.branch}.remote`, "origin")

  expect(await tearDown(repo, workspace, [commit])).toEqual({
    rescued: [],
    worktree: "removed",
    branch: "deleted",
    notices: [],
  })
  expectGone(repo, workspace)
  expect(repo.git("config", "--list", "--local")).not.toContain(workspace.branch)
  await strategy.settled()
  expect(readdirSync(join(repo.folder, "repo.worktrees"))).toEqual([])
})

test.each([
  ["on its branch", []],
  ["on a detached HEAD", ["checkout", "--quiet", "--detach"]],
  ["on another branch", ["checkout", "--quiet", "-b", "helper"]],
])(
  "a stash that an agent left %s is rescued and told, and a person's stays [4.14]",
  async (_, args) => {
    using repo = new TestRepo()
    const workspace = await setUp(repo)
    const { worktree, branch } = workspace
    if (args.length > 0) repo.gitIn(worktree, ...args)
    const stash = (cwd: string, text: string) => {
      repo.write({ "README.md": text }, cwd)
      repo.gitIn(cwd, "stash", "--quiet")
      return repo.git("rev-parse", "refs/stash")
    }
    const left = stash(worktree, "half done\n")
    stash(repo.path, "a person's\n")
    repo.git("checkout", "--quiet", "--detach")
    repo.commit({}, "a person's")
    stash(repo.path, "another of that person's\n")
    repo.git("checkout", "--quiet", "main")
    const list = repo.git("stash", "list")

    const torn = await tearDown(repo, workspace, [repo.tip("main")])
    expect(torn.rescued.map(({ commit }) => commit)).toEqual([left])
    expect(torn.notices).toEqual([expect.stringContaining(torn.rescued[0]!.ref)])
    expect(hasBranch(repo, branch)).toBe(false)
    expect(repo.git("stash", "list")).toBe(list)
    await strategy.settled()
  },
)

test("while a user's git packs the refs, the removal waits; with a lock that stays, it is tried again [33.5]", async () => {
  using repo = new TestRepo()
  const lock = join(repo.path, ".git/packed-refs.lock")
  const passing = await setUp(repo)
  writeFileSync(lock, "")
  const tearing = tearDown(repo, passing, [repo.tip("main")])
  await waitFor("the worktree to go", () => !existsSync(passing.worktree))
  const branchAtThat = hasBranch(repo, passing.branch)
  rmSync(lock)
  expect([branchAtThat, (await tearing).branch]).toEqual([true, "deleted"])

  const staying = await setUp(repo)
  writeFileSync(lock, "")
  const hasty = strategyOf("/home/of/this/test", { lockedMsMax: 100 })
  const hastily = () => hasty.teardown(removal(repo, staying, [repo.tip("main")]))
  await expect(hastily()).rejects.toMatchObject({ code: "workspace.ref_busy", transient: true })
  expect([existsSync(staying.worktree), hasBranch(repo, staying.branch)]).toEqual([false, true])
  rmSync(lock)
  expect(await hastily()).toMatchObject({ worktree: "removed", branch: "deleted" })
})

test("W17: files that an agent left are saved and listed before they are removed", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  repo.write({ "left-1.txt": "one", "left-2.txt": "two" }, workspace.worktree)

  const { rescued } = await tearDown(repo, workspace, [repo.tip("main")])

  expect(rescued).toMatchObject([
    { ref: "refs/coppice/rescue/7/1", paths: ["left-1.txt", "left-2.txt"] },
  ])
  expect(repo.git("show", "refs/coppice/rescue/7/1:left-1.txt")).toBe("one")
  expectGone(repo, workspace)
})

test("commits that are nowhere else are saved, also those of a branch that the agent has left [4.1]", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const onBranch = repo.commit({ "a.txt": "a" }, "a", workspace.worktree)
  repo.gitIn(workspace.worktree, "checkout", "--quiet", "--detach", "main")
  const detached = repo.commit({ "b.txt": "b" }, "b", workspace.worktree)

  const { rescued } = await tearDown(repo, workspace, [repo.tip("main")])

  expect(rescued.map(({ commit }) => commit)).toEqual([detached, onBranch])
  expectGone(repo, workspace)
})

test("W07: a commit that arrives during the removal is saved, and its branch goes [4.1]", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  repo.commit({ "work.txt": "work" }, "work", workspace.worktree)
  const tree = repo.tip(`${workspace.branch}^{tree}`)
  const late = repo.git("commit-tree", tree, "-p", workspace.branch, "-m", "LATE")
  // The repository's lock comes after the tip was read: a commit made under it is late.
  const { withRepoLock } = await import("../locks/repo-lock.ts")
  const saved = () => repo.git("for-each-ref", "refs/coppice/rescue") !== ""
  let torn: ReturnType<typeof tearDown> | undefined
  await withRepoLock(join(repo.path, ".git"), async () => {
    torn = tearDown(repo, workspace, [repo.tip("main")])
    while (!saved()) await setImmediate()
    repo.git("update-ref", `refs/heads/${workspace.branch}`, late)
  })

  const { rescued } = await torn!
  expect(rescued.at(-1)?.commit).toBe(late)
  expectGone(repo, workspace)
})

test("W10: a folder that was deleted by hand is forgotten, and its branch saved and deleted", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const commit = repo.commit({ "work.txt": "work" }, "work", workspace.worktree)
  rmSync(workspace.worktree, { recursive: true })

  const { rescued } = await tearDown(repo, workspace, [repo.tip("main")])

  expect(rescued.map((rescue) => rescue.commit)).toEqual([commit])
  expectGone(repo, workspace)
})

test("is safe to repeat", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  repo.write({ "left.txt": "left" }, workspace.worktree)
  await tearDown(repo, workspace, [repo.tip("main")])
  expect(await tearDown(repo, workspace, [repo.tip("main")])).toEqual({
    rescued: [],
    worktree: "removed",
    branch: "deleted",
    notices: [],
  })
  expect(repo.git("for-each-ref", "refs/coppice").split("\n")).toHaveLength(1)
})

test("a folder that is not a worktree of the repository is never touched", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  repo.git("worktree", "remove", workspace.worktree)
  repo.write({ "notes.txt": "mine" }, workspace.worktree)
  expect(await tearDown(repo, workspace, [repo.tip("main")])).toMatchObject({
    worktree: "kept",
    branch: "kept",
    notices: [expect.stringContaining("its `.git` file does not name")],
  })
  expect(readFileSync(join(workspace.worktree, "notes.txt"), "utf8")).toBe("mine")
})

test("a locked worktree, and one that holds repositories of its own, are kept and reported", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const kept = { worktree: "kept", branch: "kept" }
  repo.git("worktree", "lock", workspace.worktree)
  const locked = [expect.stringContaining("locked")]
  expect(await tearDown(repo, workspace, [])).toMatchObject({ ...kept, notices: locked })
  repo.git("worktree", "unlock", workspace.worktree)

  repo.gitIn(workspace.worktree, "init", "--quiet", "nested")
  repo.commit({ "in.txt": "in" }, "inside", join(workspace.worktree, "nested"))
  const nested = [expect.stringContaining("nested/")]
  expect(await tearDown(repo, workspace, [])).toMatchObject({ ...kept, notices: nested })
  expect(existsSync(join(workspace.worktree, "nested/.git"))).toBe(true)
})

test("a submodule with commits that its remote lacks keeps the worktree; without, it goes", async () => {
  using repo = new TestRepo()
  using library = new TestRepo()
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "lib")
  repo.commit({}, "lib")
  const workspace = await setUp(repo)
  const { worktree } = workspace
  const init = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"]
  repo.gitIn(worktree, ...init)
  repo.commit({ "only-here.txt": "" }, "only here", join(worktree, "lib"))
  const commit = repo.commit({}, "use it", worktree)

  expect(await tearDown(repo, workspace, [commit])).toMatchObject({
    worktree: "kept",
    notices: [expect.stringContaining("submodule")],
  })
  repo.gitIn(join(worktree, "lib"), "push", "--quiet", "origin", "HEAD:refs/heads/from-agent")
  expect(await tearDown(repo, workspace, [commit])).toMatchObject({ worktree: "removed" })
})

test("a worktree that git cannot read is kept, and the caller does not fail", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const own = repo.gitIn(workspace.worktree, "rev-parse", "--absolute-git-dir")
  writeFileSync(join(own, "index"), "not an index")
  expect(await tearDown(repo, workspace, [repo.tip("main")])).toMatchObject({
    worktree: "kept",
    notices: [expect.stringContaining("git")],
  })
  expect(existsSync(workspace.worktree)).toBe(true)
})

test("the end waits for deletions only so long; the next process finishes them", async () => {
  using repo = new TestRepo()
  const folder = join(repo.folder, "repo.worktrees")
  const ending = strategyOf("/home/of/this/test")
  const workspace = await ending.setup(workspaceRequest(repo))
  const files = Array.from({ length: 3_000 }, (_, n) => [`${n}.txt`, ""])
  repo.commit(Object.fromEntries(files), "many", workspace.worktree)
  const tearing = ending.teardown(removal(repo, workspace, [repo.tip(workspace.branch)]))
  const torn = tearing.then(() => true)
  // The end has to come right after the deletion has begun.
  while (!(await Promise.race([torn, setImmediate(false)]))) await ending.settled(0)
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/coppice-trash/)])

  const next = strategyOf("/home/of/this/test")
  next.sweep()
  await next.settled()
  expect(readdirSync(folder)).toEqual([])
})

test("a worktree that the system does not release stays, with its branch, and the reason is reported", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const worktree = join(repo.folder, "x".repeat(250)) // no longer name is possible for the trash
  repo.git("worktree", "move", workspace.worktree, worktree)
  const made = { path: worktree, repo: repo.path, purpose: "task", branch: null } as const
  recordWorktree(storeOf("/home/of/this/test"), { ...made, task: 7 as TaskId })
  repo.write({ "work.txt": "w" }, worktree)
  const torn = await tearDown(repo, { ...workspace, worktree }, [repo.tip("main")])
  expect(torn).toMatchObject({ worktree: "kept", branch: "kept", rescued: [{}] })
  expect(torn.notices).toEqual([expect.stringContaining("ENAMETOOLONG")])
  expect(repo.gitIn(worktree, "status", "--porcelain")).toBe("?? work.txt")
  expect(repo.tip(workspace.branch)).toBe(repo.tip("main"))
})

test("trash that became a link is unlinked; what it leads to stays", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const outside = join(repo.folder, "outside")
  renameSync(workspace.worktree, outside)
  symlinkSync(outside, workspace.worktree)
  await tearDown(repo, workspace, [repo.tip("main")])
  await strategy.settled()
  expect(existsSync(join(outside, "README.md"))).toBe(true)
})

test("worktrees of a task are found by owner, recorded or not", async () => {
  using repo = new TestRepo()
  const { worktree, branch } = await setUp(repo)
  expect(await strategy.findWorkspaces(repo.path, 7 as TaskId)).toEqual([{ worktree, branch }])
  expect(await strategy.findWorkspaces(repo.path, 8 as TaskId)).toEqual([])
  const other = strategyOf("/another/home")
  expect(await other.findWorkspaces(repo.path, 7 as TaskId)).toEqual([])
})

test("a repository in an ignored folder keeps the worktree while its commits are nowhere else", async () => {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "build/\n" })
  const workspace = await setUp(repo)
  const nested = join(workspace.worktree, "build", "sub")
  repo.git("init", "--quiet", nested)
  repo.commit({ "a.txt": "a" }, "nested", nested)
  const safeCommits = [repo.tip("main")]
  expect(await tearDown(repo, workspace, safeCommits)).toMatchObject({
    worktree: "kept",
    notices: [expect.stringContaining(nested)],
  })
  repo.gitIn(nested, "update-ref", "refs/remotes/origin/main", "HEAD")
  expect(await tearDown(repo, workspace, safeCommits)).toMatchObject({ worktree: "removed" })
})

test("a worktree that holds another one is kept", async () => {
  using repo = new TestRepo()
  repo.commit({ ".gitignore": "build/\n" })
  const workspace = await setUp(repo)
  const inner = join(workspace.worktree, "build", "wt")
  repo.git("worktree", "add", "--quiet", "--detach", inner)
  repo.write({ "a.txt": "a" }, inner)
  expect(await tearDown(repo, workspace, [repo.tip("main")])).toMatchObject({
    worktree: "kept",
    notices: [expect.stringContaining(inner)],
  })
  expect(existsSync(join(inner, "a.txt"))).toBe(true)
})

test("a ref of the worktree to a tag whose commit is missing does not keep the worktree", async () => {
  using repo = new TestRepo()
  const workspace = await setUp(repo)
  const { worktree } = workspace
  const raw = `object ${"1".repeat(40)}\ntype commit\ntag t\ntagger a <a@b> 1 +0000\n\nt\n`
  const file = join(repo.folder, "tag")
  writeFileSync(file, raw)
  const tag = repo.gitIn(worktree, "hash-object", "-t", "tag", "-w", "--literally", file)
  repo.gitIn(worktree, "update-ref", "refs/worktree/tag", tag)
  expect(await tearDown(repo, workspace, [repo.tip("main")])).toMatchObject({ worktree: "removed" })
  expect(existsSync(worktree)).toBe(false)
})

test.each(["refs/worktree/mine", "refs/bisect/bad"])(
  "commits that only %s has are saved",
  async (ref) => {
    using repo = new TestRepo()
    const workspace = await setUp(repo)
    const { worktree } = workspace
    const tree = repo.tip("main^{tree}")
    const commit = repo.gitIn(worktree, "commit-tree", tree, "-p", "main", "-m", "kept aside")
    repo.gitIn(worktree, "update-ref", ref, commit)
    const { rescued } = await tearDown(repo, workspace, [repo.tip("main")])
    expect(rescued).toMatchObject([{ commit }])
    expect(repo.tip("refs/coppice/rescue/7/1")).toBe(commit)
  },
)
