/** Processes that die in the middle of a set-up. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { TestFolder } from "../../../../test/support/store.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import { workspaceRequest } from "../../../../test/support/workspaces.ts"
import { fnv1a } from "../../../base/text/hash.ts"
import { readIdentity } from "../../process/process-identity.ts"
import { openDb } from "../../store/open.ts"
import { GitWorktreeStrategy } from "../git-worktree.ts"
import type { WorkspaceRequest } from "../workspace.ts"

const HOME = "/home/of/this/test"
const folder = new TestFolder()
afterAll(() => folder[Symbol.dispose]())
const dbOf = (home: string) => join(folder.path, `${fnv1a(home)}.db`)
const strategy = new GitWorktreeStrategy({ home: HOME, db: openDb(dbOf(HOME)) })

/** Another daemon, in a process group of its own, that sets up all of these at once. */
function setUpElsewhere(requests: readonly WorkspaceRequest[], home = HOME): ChildProcess {
  const url = new URL("../git-worktree.ts", import.meta.url)
  const code = `
    const { GitWorktreeStrategy } = await import(${JSON.stringify(url)})
    const { openDb } = await import(${JSON.stringify(new URL("../../store/open.ts", import.meta.url))})
    const db = openDb(${JSON.stringify(dbOf(home))})
    const strategy = new GitWorktreeStrategy({ home: ${JSON.stringify(home)}, db })
    const { signal } = new AbortController()
    const setUp = (request) => strategy.setup({ ...request, signal, recordBranch() {}, findBegun() {} })
    await Promise.all(${JSON.stringify(requests)}.map(setUp))
  `
  return spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  })
}

const worktree = (repo: TestRepo) => join(repo.folder, "repo.worktrees/7-fix-the-typo")
const own = (repo: TestRepo, name: string) => join(repo.path, ".git/worktrees/7-fix-the-typo", name)
const MOMENTS: readonly (readonly [string, (repo: TestRepo) => string])[] = [
  ["the branch exists", (repo) => join(repo.path, ".git/refs/heads/agent/coder/7-fix-the-typo")],
  ["git knows the worktree", (repo) => own(repo, "gitdir")],
  ["git fills the worktree", (repo) => own(repo, "index.lock")],
  ["the first file is there", (repo) => join(worktree(repo), "dir/0.txt")],
]

/** A killed process still finishes the system call that it is in. */
function hasGroup(id: number): boolean {
  try {
    return process.kill(-id, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
    throw error
  }
}

const SCOPES = ["the process", "the process and its git"] as const
const CUTS = MOMENTS.flatMap(([moment, path]) => SCOPES.map((scope) => ({ moment, path, scope })))

test.each(CUTS)("$scope killed when $moment: the next set-up is whole [7.1]", async (cut) => {
  using repo = new TestRepo()
  const files = Array.from({ length: 1_000 }, (_, n) => [`dir/${n}.txt`, `${n % 10}\n`])
  repo.commit(Object.fromEntries(files))

  const begun = { branch: "agent/coder/7-fix-the-typo", at: repo.tip("main") }
  const request = workspaceRequest(repo, { findBegun: () => begun })
  const child = setUpElsewhere([request])
  const exited = once(child, "exit")
  // Some of these files exist for an instant only, so a finished set-up counts as well.
  await waitFor(cut.moment, () => existsSync(cut.path(repo)) || child.exitCode !== null, 30_000)
  const isAlive = child.exitCode === null && child.pid !== undefined
  if (isAlive) process.kill(cut.scope === "the process" ? child.pid : -child.pid, "SIGKILL")
  await exited
  if (isAlive && cut.scope !== "the process")
    await waitFor("the end of its git", () => !hasGroup(child.pid!))

  const workspace = await strategy.setup(request)

  expect(workspace).toMatchObject({
    worktree: worktree(repo),
    branch: "agent/coder/7-fix-the-typo",
    base: repo.tip("main"),
    fresh: true,
  })
  expect(repo.gitIn(workspace.worktree, "status", "--porcelain")).toBe("")
  expect(repo.gitIn(workspace.worktree, "ls-files").split("\n")).toHaveLength(1_001)
  expect(repo.git("for-each-ref", "refs/coppice")).toBe("")
  await strategy.settled()
})

test.each([
  ["*", "the first file"],
  ["slow.txt", "the last file"],
])(
  "a git that outlives its killed process is ended before its worktree is made again: %s",
  async (pattern) => {
    using repo = new TestRepo()
    const [hold, holding] = [join(repo.folder, "hold"), join(repo.folder, "holding")]
    // The checkout stops at this file for as long as `hold` exists.
    const filter = `touch '${holding}'; while [ -e '${hold}' ]; do sleep 0.05; done; cat`
    repo.userConfig("filter.hold.smudge", filter)
    repo.commit({ "slow.txt": "slow\n" })
    repo.write({ ".git/info/attributes": `${pattern} filter=hold\n`, "../hold": "" })
    const child = setUpElsewhere([workspaceRequest(repo)])
    const exited = once(child, "exit")
    await waitFor("git to hang", () => existsSync(holding))
    child.kill("SIGKILL")
    await exited
    const { pid, identity } = JSON.parse(readFileSync(own(repo, "coppice-checkout.json"), "utf8"))
    expect(readIdentity(pid)).toBe(identity)

    const again = strategy.setup(workspaceRequest(repo))
    await waitFor("the first git to end", () => readIdentity(pid) !== identity)
    rmSync(hold)

    expect(repo.gitIn((await again).worktree, "status", "--porcelain")).toBe("")
    await strategy.settled()
  },
)
