/** Worktrees that a person drives: added, worked in, landed, kept and removed by hand. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import {
  AddedWorktreeDocument,
  RemovedWorktreesDocument,
  WorktreesDocument,
} from "../../src/features/clean-up/wire.ts"
import { RescuesDocument } from "../../src/features/recover/wire.ts"
import { Fleet } from "../support/fleet.ts"

test("a worktree for a person: added, able to run, worked in, and landed with its uncommitted files [25.12]", async () => {
  await using fleet = new Fleet({
    repo: { gate: "test ! -f two.txt || test -f one.txt", setup: "echo ran > ignored.txt" },
  })
  fleet.repo.commit({ ".gitignore": "ignored.txt\n" })
  const { task, created } = await fleet.json(AddedWorktreeDocument, ["worktree", "add", "By hand"])
  const [repo] = task.repos
  const worktree = repo?.worktree ?? ""
  expect(created).toBe(true)
  expect(task).toMatchObject({ state: "working", agent: null, jobs: [], sessionId: null })
  expect(repo?.branch).toBe(`agent/hand/${task.id}-by-hand`)
  expect(readFileSync(join(worktree, "ignored.txt"), "utf8")).toBe("ran\n")
  const why = await fleet.json(WhyDocument, ["why", task.id])
  expect(why.waitingFor).toBe("a person, who works in its worktree")

  writeFileSync(join(worktree, "two.txt"), "2\n")
  const red = await fleet.json(TaskDocument, ["worktree", "land", task.id], 1)
  expect(red).toMatchObject({ state: "merge_failed", landing: { outcome: "PRE_MERGE_FAILED" } })
  writeFileSync(join(worktree, "one.txt"), "1\n")
  const landed = await fleet.json(TaskDocument, ["worktree", "land", task.id])
  expect(landed).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:one.txt", "main:two.txt")).toBe("1\n2")
  expect(fleet.leftovers()).toEqual([])
})

test("two simultaneous requests for a worktree of one name make one task", async () => {
  await using fleet = new Fleet({ repo: { gate: false, setup: "sleep 0.3" } })
  const add = () => fleet.json(AddedWorktreeDocument, ["worktree", "add", "By hand"])
  const added = await Promise.all([add(), add(), add()])
  expect(new Set(added.map(({ task }) => task.id)).size).toBe(1)
  expect(added.filter(({ created }) => created)).toHaveLength(1)
})

test("the branch of worktree add goes with its worktree if the target has it all, else it stays and is named [25.12]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const add = async (ref: string) => {
    const { task } = await fleet.json(AddedWorktreeDocument, ["worktree", "add", ref])
    return { id: task.id, ...task.repos[0]! }
  }
  const remove = async (id: string) =>
    (await fleet.json(RemovedWorktreesDocument, ["worktree", "remove", id])).items[0]
  const branches = () => fleet.repo.git("branch", "--format=%(refname:short)").split("\n")
  const { id, branch, worktree } = await add("By hand")
  expect(await remove(id)).toMatchObject({ outcome: "removed", note: null })
  expect(branches()).toEqual(["main"])

  expect(await add(id)).toMatchObject({ branch, worktree })
  const commit = fleet.repo.commit({ "one.txt": "1" }, "one", worktree ?? "")
  const note = expect.stringContaining(`The branch ${branch} is kept`)
  expect(await remove(id)).toMatchObject({ outcome: "removed", note, rescued: [] })
  expect(fleet.repo.tip(branch ?? "")).toBe(commit)
  expect(await add(id)).toMatchObject({ branch, worktree })
  fleet.repo.git("merge", "--quiet", "--ff-only", branch ?? "")
  expect(await remove(id)).toMatchObject({ outcome: "removed", note: null })
  expect(branches()).toEqual(["main"])
})

test("a worktree is listed, stays while its agent works there, and is removed with nothing lost [25.12]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const kept = await fleet.json(TaskDocument, ["run", "echo 1 > one.txt", "--land", "none"])
  const tip = fleet.repo.tip(kept.repos[0]?.branch ?? "")
  writeFileSync(join(kept.repos[0]?.worktree ?? "", "two.txt"), "a person's")
  const busy = await fleet.start('while [ ! -f "$STEPS/go" ]; do sleep 0.05; done')
  await fleet.until(busy, ({ repos }) => repos[0]?.worktree !== null)
  const { worktrees } = await fleet.json(WorktreesDocument, ["worktree", "list"])
  const worktree = kept.repos[0]?.worktree ?? ""
  expect(worktrees).toMatchObject([
    { path: worktree, task: kept.id, state: "complete", why: "1 file is in no commit" },
    { task: busy, state: "working", why: "its task is not over" },
  ])
  const refused = await fleet.coppice("worktree", "remove", busy, "--json")
  expect(refused).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("its agent works there"),
  })
  writeFileSync(join(fleet.steps, "go"), "")
  await fleet.until(busy)

  const remove = ["worktree", "remove", kept.id]
  const { items } = await fleet.json(RemovedWorktreesDocument, remove)
  expect(items).toMatchObject([{ name: worktree, outcome: "removed" }])
  expect(existsSync(worktree)).toBe(false)
  const { rescues } = await fleet.json(RescuesDocument, ["recover"])
  expect(rescues).toMatchObject([{ task: kept.id, files: [{ path: "two.txt", status: "A" }] }])
  expect(fleet.repo.tip(kept.repos[0]?.branch ?? ""), "it may go on").toBe(tip)
  const back = await fleet.json(TaskDocument, ["run", "echo 3 > b.txt", "--land", "approve"])
  await fleet.coppice("reject", "-d", back.id, "no such command")
  await fleet.until(back.id, ({ state }) => state === "stuck") // and its landing is its agent's
  const dropped = await fleet.json(RemovedWorktreesDocument, ["worktree", "remove", back.id])
  expect(dropped.items).toMatchObject([{ task: back.id, outcome: "removed" }])
  const again = await fleet.json(AddedWorktreeDocument, ["worktree", "add", kept.id])
  expect(again).toMatchObject({ created: false, task: { repos: [{ worktree }] } })
})

test("`keep: always`: a landed worktree stays, the next task goes on in it, and prune removes it [25.11]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { workspace: { keep: "always" } } })
  const run = (prompt: string) => fleet.json(TaskDocument, ["run", prompt, "--work-item", "gh-17"])
  const first = await run("echo 1 > one.txt")
  const worktree = first.repos[0]?.worktree ?? ""
  expect(first).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(readFileSync(join(worktree, "one.txt"), "utf8")).toBe("1\n")
  const second = await run('pwd > "$STEPS/where"; echo 2 > two.txt')
  expect(second).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.noted("where")).toEqual([worktree])
  expect(fleet.repo.git("log", "--format=%s", "main").split("\n")).toHaveLength(4)

  const { worktrees } = await fleet.json(WorktreesDocument, ["worktree", "list"])
  expect(worktrees).toMatchObject([{ path: worktree, why: "`workspace.keep` of sh is `always`" }])
  const { items } = await fleet.json(RemovedWorktreesDocument, ["worktree", "prune"])
  expect(items).toMatchObject([{ name: worktree, outcome: "removed" }])
  expect(fleet.leftovers()).toEqual([])
})

test("`keep: on_failure`: the worktree of a cancelled task stays until its removal by hand, and its work item goes on there [25.11]", async () => {
  await using fleet = new Fleet({
    repo: { gate: false },
    sh: { workspace: { keep: "on_failure" } },
  })
  const wait = 'echo half > half.txt; touch "$STEPS/begun"; sleep 60'
  const first = await fleet.start(wait, "--work-item", "gh-17")
  await fleet.until(first, () => existsSync(join(fleet.steps, "begun")))
  await fleet.json(TaskDocument, ["cancel", first])
  await fleet.event(({ type }) => type === "workspace.kept")
  const { worktrees } = await fleet.json(WorktreesDocument, ["worktree", "list"])
  expect(worktrees).toMatchObject([
    { state: "cancelled", why: "`workspace.keep` of sh is `on_failure`" },
  ])
  const { items } = await fleet.json(RemovedWorktreesDocument, ["worktree", "prune"])
  expect(items, "it holds work that is nowhere else").toEqual([])
  const second = await fleet.json(TaskDocument, ["run", "cat half.txt", "--work-item", "gh-17"])
  expect(second).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:half.txt")).toBe("half")
  expect(fleet.leftovers()).toEqual([])
})
