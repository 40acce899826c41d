import { execFileSync } from "node:child_process"
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { removal, strategyOf, workspaceRequest } from "../../../../test/support/workspaces.ts"
import type { TaskId } from "../../../base/ids.ts"
import { rescueLeftBehind } from "./left-behind.ts"
import { listRescues } from "./list.ts"

const strategy = strategyOf("/home/of/this/test")

/** An agent's worktree, its git, and the rescues when it is removed after landing. */
async function withAgent(repo: TestRepo) {
  const workspace = await strategy.setup(workspaceRequest(repo))
  const at = workspace.worktree
  const git = (...args: string[]) => repo.gitIn(at, ...args)
  const commit = (name: string, content = name) => repo.commit({ [name]: content }, name, at)
  const goes = async () =>
    (await strategy.teardown(removal(repo, workspace, [repo.tip("main")]))).rescued
  const land = async () => {
    repo.git("merge", "--quiet", "--no-edit", workspace.branch)
    return await goes()
  }
  return { at, git, commit, goes, land, write: (file: string) => repo.write({ [file]: file }, at) }
}

const isKept = (repo: TestRepo, oid: string) =>
  repo.git("for-each-ref", "--contains", oid, "refs/coppice/rescue") !== ""

test("commits that an agent amended, reset and left off its branch are one rescue, which describes them [4.6]", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  const reset = [agent.commit("reset-1"), agent.commit("reset-2")]
  agent.git("reset", "--quiet", "--hard", "HEAD~2")
  const amended = agent.commit("amended", "first")
  agent.write("amended")
  agent.git("commit", "--quiet", "--all", "--amend", "--message", "better")
  agent.git("checkout", "--quiet", "--detach")
  const detached = agent.commit("detached")
  agent.git("checkout", "--quiet", "-")
  agent.commit("work")

  const [rescued, ...others] = await agent.land()
  expect([rescued?.ref, others]).toEqual(["refs/coppice/rescue/7/1", []])
  for (const oid of [...reset, amended, detached]) expect(isKept(repo, oid), oid).toBe(true)
  const tips = repo.git("log", "-1", "--format=%P", rescued!.ref).split(" ")
  expect(new Set(tips)).toEqual(new Set([detached, amended, reset[1]]))
  const [found] = await listRescues(repo.path)
  expect(found?.reason).toBe("before it landed: left behind in its worktree")
  const subjects = found?.commits.map((line) => line.split(" ")[1]).toSorted()
  expect(subjects).toEqual(["amended", "detached", "reset-1", "reset-2"])
  repo.git("reflog", "expire", "--expire=all", found!.ref)
  expect((await listRescues(repo.path))[0]?.reason).toBe("before it landed")
})

test("a version that differs only in white space is a version", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  const first = agent.commit("a.py", "if x:\n    y()\n    z()\n")
  repo.write({ "a.py": "if x:\n    y()\nz()\n" }, agent.at)
  agent.git("commit", "--quiet", "--all", "--amend", "--no-edit")
  await agent.land()
  expect(isKept(repo, first)).toBe(true)
})

test("edits that a rebase or a merge has put aside, and has not given back, are kept", async () => {
  using repo = new TestRepo()
  repo.commit({ "edited.txt": "e" })
  for (const how of ["rebase", "merge"]) {
    const agent = await withAgent(repo)
    agent.commit("both.txt", `${how} ours`)
    repo.commit({ "both.txt": `${how} theirs` }, "theirs")
    repo.write({ "edited.txt": `by hand before a ${how}` }, agent.at)
    expect(() => agent.git(how, "--quiet", "--autostash", "main")).toThrow("Command failed")
    await agent.goes()
    const rescues = ["-m", "-p", "--format=", "--glob=refs/coppice/rescue"]
    expect(repo.git("log", ...rescues, "--", "edited.txt")).toContain(`+by hand before a ${how}`)
  }
})

test("changes in kept history under other ids are not rescued again: rebased, reworded, or on a branch [4.6]", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  agent.commit("one")
  agent.commit("two")
  repo.commit({ "other.txt": "o" }, "target")
  agent.git("rebase", "--quiet", "main")
  agent.git("commit", "--quiet", "--amend", "--message", "reworded")
  agent.git("branch", "kept")
  agent.git("checkout", "--quiet", "kept")
  const own = agent.commit("on-a-branch-of-its-own")
  agent.git("checkout", "--quiet", "-")
  expect(await agent.land()).toEqual([])
  expect(repo.tip("kept")).toBe(own)
})

test("a single commit is rescued as it is, and again finds the same rescue", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  const lost = agent.commit("lost")
  agent.git("reset", "--quiet", "--hard", "HEAD~1")
  repo.git("update-ref", "refs/coppice/rescue/7/4", lost)
  agent.commit("work")
  expect(await agent.land()).toEqual([])
  repo.git("update-ref", "-d", "refs/coppice/rescue/7/4")

  const again = await withAgent(repo)
  const other = again.commit("other")
  again.git("reset", "--quiet", "--hard", "HEAD~1")
  expect(await again.land()).toMatchObject([{ commit: other }])
})

test("merges, missing objects, and a log of many megabytes do not make it fail", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  agent.git("checkout", "--quiet", "--detach")
  const side = agent.commit("side")
  agent.git("checkout", "--quiet", "-")
  agent.commit("work")
  agent.git("merge", "--quiet", "--no-ff", "--no-edit", side)
  const merge = agent.git("rev-parse", "HEAD")
  agent.git("reset", "--quiet", "--hard", "HEAD~1")
  const log = agent.git("rev-parse", "--git-path", "logs/HEAD")
  const gone = "1".repeat(40)
  const entry = `${gone} ${agent.git("rev-parse", "HEAD")} a <a> 1000000000 +0000\treset: gone\n`
  appendFileSync(log, entry.repeat(150_000))
  expect(await agent.land()).toMatchObject([{ commit: merge }])
})

test("if git's list of lost commits is too long, all ends are kept, and the rescue says so [4.21]", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  const lost = ["one", "two"].map((name) => {
    const commit = agent.commit(name)
    agent.git("reset", "--quiet", "--hard", "HEAD~1")
    return commit
  })
  const gitDir = agent.git("rev-parse", "--absolute-git-dir")
  const gone = "1".repeat(40)
  appendFileSync(join(gitDir, "logs/HEAD"), `${gone} ${gone} a <a> 1000000000 +0000\tgone\n`)
  const owner = { home: "/home/of/this/test", task: 7 as TaskId }
  const left = { owner, safeCommits: [repo.tip("main")], reason: "it landed", gitDir }
  await rescueLeftBehind(repo.path, { ...left, branch: undefined, listBytesMax: 100 })
  for (const oid of lost) expect(isKept(repo, oid), oid).toBe(true)
  expect((await listRescues(repo.path))[0]?.reason).toBe(
    "before it landed: left behind in its worktree (too many commits to tell which are kept elsewhere)",
  )
})

test("of more than a thousand ends the youngest are kept, and the rescue says how many are not [4.21]", async () => {
  using repo = new TestRepo()
  const agent = await withAgent(repo)
  const marks = join(repo.folder, "marks")
  const from = repo.tip("main")
  const commits = Array.from({ length: 1_003 }, (_, n) => {
    return `commit refs/heads/made\nmark :${n + 1}\ncommitter a <a> ${n + 1} +0000\ndata 0\nfrom ${from}\n`
  })
  execFileSync("git", ["fast-import", "--quiet", "--force", `--export-marks=${marks}`], {
    cwd: repo.path,
    input: commits.join("\n"),
  })
  repo.git("update-ref", "-d", "refs/heads/made")
  const made = readFileSync(marks, "utf8").matchAll(/^:(\d+) (\w+)$/gm)
  const oids = [...made].sort((a, b) => Number(a[1]) - Number(b[1])).map(([, , oid]) => oid!)
  const log = agent.git("rev-parse", "--git-path", "logs/HEAD")
  for (const oid of oids) appendFileSync(log, `${oid} ${oid} a <a> 1000000000 +0000\tx\n`)
  await agent.goes()
  expect([0, 2, 3].map((n) => isKept(repo, oids[n]!))).toEqual([false, false, true])
  expect((await listRescues(repo.path))[0]?.reason).toContain("(without 3 older ones)")
})
