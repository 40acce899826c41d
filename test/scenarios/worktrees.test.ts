/** Many worktrees of one repository at once: what raw git loses up to half of. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { TaskId } from "../../src/base/ids.ts"
import type { Workspace, WorkspaceRequest } from "../../src/kernel/workspaces/workspace.ts"
import { TestRepo } from "../support/repo.ts"
import { removal, strategyOf, workspaceRequest } from "../support/workspaces.ts"
import { WorktreeHome } from "../support/worktree-home.ts"

const FILES = 10

/** With a remote, whose branch the target tracks. */
function repoWithFiles(): TestRepo {
  const repo = new TestRepo()
  const files = Array.from({ length: FILES }, (_, n) => [`dir/${n}.txt`, `${n}\n`])
  repo.commit(Object.fromEntries(files))
  repo.addOrigin()
  repo.git("branch", "--quiet", "--set-upstream-to=origin/main", "main")
  return repo
}

const requests = (
  repo: TestRepo,
  { from, count, fetch = false }: { from: number; count: number; fetch?: boolean },
): WorkspaceRequest[] =>
  Array.from({ length: count }, (_, n) =>
    workspaceRequest(repo, { task: (from + n) as TaskId, fetch }),
  )

const removals = (repo: TestRepo, workspaces: readonly Workspace[]) =>
  workspaces.map((workspace) => removal(repo, workspace, [repo.tip("main")]))

const worktreesOf = (repo: TestRepo) => join(repo.folder, "repo.worktrees")
const configOf = (repo: TestRepo) => repo.git("config", "--list", "--show-origin")
const branchesOf = (repo: TestRepo) => repo.git("for-each-ref", "--format=%(refname)", "refs/heads")

/** As whole as after `git worktree add` alone. */
function expectWhole(repo: TestRepo, { worktree, branch }: Workspace) {
  const name = branch?.replace("agent/coder/", "") ?? ""
  expect(worktree).toBe(join(worktreesOf(repo), name))
  expect(readdirSync(join(worktree, "dir"))).toHaveLength(FILES)
}

/** No folder, branch, entry, configuration or lock of any of them. */
function expectNothingLeft(repo: TestRepo, config: string) {
  expect(readdirSync(worktreesOf(repo))).toEqual([])
  expect(branchesOf(repo)).toBe("refs/heads/main")
  expect(repo.git("worktree", "list").split("\n")).toHaveLength(1)
  expect(globSync(".git/worktrees/*", { cwd: repo.path })).toEqual([])
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
  expect(configOf(repo)).toBe(config)
  const locks = globSync(".git/**/*.lock", { cwd: repo.path })
  expect(locks).toEqual([".git/coppice.lock"]) // taken by a process, not by being there
}

/** A user who does this over and over again until the end. */
function over(cwd: string, script: string): AsyncDisposable & { times(): number } {
  const loop = `while read -r go; do { ${script}; } >/dev/null 2>&1; echo; done`
  const shell: ChildProcess = spawn("sh", ["-c", loop], { cwd, stdio: ["pipe", "pipe", "inherit"] })
  let times = 0
  shell.stdin?.write("\n")
  shell.stdout?.on("data", () => {
    times++
    if (!shell.stdin?.writableEnded) shell.stdin?.write("\n") // told to end in mid-round
  })
  return {
    times: () => times,
    async [Symbol.asyncDispose]() {
      const exited = once(shell, "exit")
      shell.stdin?.end()
      await exited
    },
  }
}

test("L01, L02: 50 tasks of each of two homes are set up at once, and removed at once, while a user fetches and packs refs: none fails, nothing is left [25.13]", async () => {
  using repo = repoWithFiles()
  const origin = join(repo.folder, "origin.git")
  const config = configOf(repo)
  await using one = new WorktreeHome("/one/home")
  await using other = new WorktreeHome("/another/home")
  const homes = [one, other]
  {
    const news = `n=$((n + 1)); git --git-dir='${origin}' update-ref "refs/heads/news-$n" main`
    const script = `${news}; git fetch --quiet origin; git pack-refs --all`
    await using somebody = over(repo.path, script)
    const setUps = homes.map((home, n) =>
      home.setUp(requests(repo, { from: 1 + 100 * n, count: 50, fetch: n === 0 })),
    )
    const made = await Promise.all(setUps)
    for (const workspace of made.flat()) expectWhole(repo, workspace)
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(101)
    expect(configOf(repo)).toBe(config)

    const torn = homes.map((home, n) => home.tearDown(removals(repo, made[n] ?? [])))
    for (const { worktree, branch, notices } of (await Promise.all(torn)).flat())
      expect([worktree, branch, notices]).toEqual(["removed", "deleted", []])
    expect(somebody.times()).toBeGreaterThan(1)
  }
  expectNothingLeft(repo, config)
}, 180_000)

test("L03: in 20 worktrees 5 commits each are made side by side, and all 100 are there [25.13]", async () => {
  using repo = repoWithFiles()
  const strategy = strategyOf("/home/of/this/test")
  const made = await Promise.all(
    requests(repo, { from: 1, count: 20 }).map((request) => strategy.setup(request)),
  )
  const script =
    'for n in 1 2 3 4 5; do echo "$0" > "dir/$n.txt"; git commit --quiet --all --message "$n"; done'
  const working = made.map(async ({ worktree, branch }) => {
    const options = { cwd: worktree, env: repo.env, stdio: "inherit" } as const
    expect(await once(spawn("sh", ["-ec", script, branch], options), "exit")).toEqual([0, null])
  })
  await Promise.all(working)
  for (const { branch } of made) expect(repo.git("rev-list", "--count", branch, "^main")).toBe("5")
  expect(repo.git("rev-list", "--count", "--branches=agent", "^main")).toBe("100")
  expect(repo.git("fsck", "--connectivity-only")).toBe("")
})

test("L04: 20 worktrees are removed at once with their branches, whose refs are packed and which track a remote, and no configuration is left [25.13]", async () => {
  using repo = repoWithFiles()
  const config = configOf(repo)
  const strategy = strategyOf("/home/of/this/test")
  const made = await Promise.all(
    requests(repo, { from: 1, count: 20 }).map((request) => strategy.setup(request)),
  )
  for (const { branch } of made)
    repo.git("branch", "--quiet", "--set-upstream-to=origin/main", branch)
  repo.git("pack-refs", "--all")
  expect(existsSync(join(repo.path, ".git/refs/heads/agent"))).toBe(false)

  const torn = await Promise.all(
    removals(repo, made).map((workspace) => strategy.teardown(workspace)),
  )
  for (const { worktree, branch, notices } of torn)
    expect([worktree, branch, notices]).toEqual(["removed", "deleted", []])
  await strategy.settled()
  expectNothingLeft(repo, config)
})
