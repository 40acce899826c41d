/** `coppice import`: work of other tools becomes tasks that land, and stays theirs. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { ImportableDocument } from "../../src/api/wire/landings.ts"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

/** Worktrees as other tools make them, each with one commit on its branch. */
function makeOthers({ repo, home }: Fleet): Record<string, string> {
  const places = {
    "worktree-quick-fox": join(repo.path, ".claude/worktrees/quick-fox"),
    "you/squad": join(home.path, ".claude-squad/worktrees/you-squad_18a"),
    "vk/1a2b-kanban": join(home.path, "tmp/vibe-kanban/worktrees/1a2b-kanban"),
    "you/own-folder": join(home.path, ".vibe-kanban-workspaces/3c4d/app"),
    "feature/trunk": `${repo.path}.feature-trunk`,
    mine: join(repo.folder, "mine"),
  }
  for (const [branch, path] of Object.entries(places)) {
    repo.git("worktree", "add", "-q", "-b", branch, path, "main")
    repo.commit({ [`${branch.replaceAll("/", "-")}.txt`]: "x" }, `work on ${branch}`, path)
  }
  return places
}

test("import lists work of other tools, and lands it once a person approved it [19.8, 19.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { repo } = fleet
  const places = makeOthers(fleet)
  repo.git("branch", "-q", "no-worktree", "mine")
  repo.git("branch", "-q", "merged", "main")
  repo.commit({ "m.txt": "m" }, "on main")
  repo.write({ "dirty.txt": "dirty" }, places["mine"])
  const before = repo.git("worktree", "list", "--porcelain")

  const { work } = await fleet.json(ImportableDocument, ["import"])
  const facts = work.map(({ madeBy, branch, ahead, behind, uncommitted, worktree }) => {
    return [madeBy, branch, ahead, behind, uncommitted, worktree]
  })
  expect(facts.sort((a, b) => String(a[1]).localeCompare(String(b[1])))).toEqual([
    ["worktrunk", "feature/trunk", 1, 1, 0, places["feature/trunk"]],
    [null, "mine", 1, 1, 1, places["mine"]],
    [null, "no-worktree", 1, 1, 0, null],
    ["vibe-kanban", "vk/1a2b-kanban", 1, 1, 0, places["vk/1a2b-kanban"]],
    ["Claude Code", "worktree-quick-fox", 1, 1, 0, places["worktree-quick-fox"]],
    ["vibe-kanban", "you/own-folder", 1, 1, 0, places["you/own-folder"]],
    ["claude-squad", "you/squad", 1, 1, 0, places["you/squad"]],
  ])
  expect((await fleet.coppice("import")).stdout).toMatch(
    /Claude Code +worktree-quick-fox +1 +1 +- /,
  )

  const imported = await fleet.coppice("import", "mine", "nowhere", "feature/trunk")
  expect(imported).toMatchObject({ code: 2, stderr: /no task, branch or worktree `nowhere`/ })
  expect(imported.stdout).toMatch(/left out +1 uncommitted file/)
  const waiting = await fleet.until("1", ({ state }) => state === "in_approval")
  expect(waiting).toMatchObject({ attention: true, repos: [{ branch: "mine" }] })
  await fleet.json(TaskDocument, ["approve", "1"])
  expect(repo.git("show", "main:mine.txt")).toBe("x")
  expect(repo.git("ls-tree", "--name-only", "main", "dirty.txt")).toBe("")

  const { tasks } = await fleet.json(TasksDocument, ["import", "--all", "--land"])
  expect(tasks.map(({ repos }) => repos[0]?.branch).sort()).toEqual([
    "vk/1a2b-kanban",
    "worktree-quick-fox",
    "you/own-folder",
    "you/squad",
  ])
  for (const { id } of tasks) await fleet.until(id, ({ state }) => state === "complete")
  expect(repo.git("show", "main:worktree-quick-fox.txt")).toBe("x")
  expect(repo.git("show", "main:you-squad.txt")).toBe("x")

  const strip = (text: string) => text.replace(/^HEAD .*$/gm, "")
  expect(strip(repo.git("worktree", "list", "--porcelain"))).toBe(strip(before))
  expect(repo.gitIn(places["mine"]!, "status", "--porcelain")).toBe("?? dirty.txt")
  expect(repo.git("log", "-1", "--format=%s", "worktree-quick-fox")).toBe(
    "work on worktree-quick-fox",
  )
})

test("import leaves out what is a task's, and work without commits of its own [19.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("echo x > x.txt; git add x.txt; git commit -qm x; sleep 600")
  await fleet.until(id, ({ repos }) => repos[0]?.worktree !== null)
  const { worktree } = (await fleet.client.show(id)).repos[0]!
  fleet.repo.git("worktree", "add", "-q", "--detach", join(fleet.repo.folder, "detached"))
  expect((await fleet.coppice("import")).stdout).toBe("There is no work outside of tasks.\n")
  expect((await fleet.coppice("import", worktree!)).stderr).toContain(`belongs to task ${id}`)
  expect((await fleet.coppice("import", "--all", "x")).code).toBe(2)
  await fleet.coppice("cancel", id)
})

test("import lands branches alone: one with the number or title of a task decides nothing about it [19.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { repo } = fleet
  const id = await fleet.start("echo x > x.txt", "--land", "approve", "--title", "fix")
  await fleet.until(id, ({ state }) => state === "in_approval")
  for (const name of [id, "fix"]) {
    repo.git("switch", "-q", "-c", name, "main")
    repo.commit({ [`${name}-own.txt`]: name }, `work on ${name}`)
  }
  repo.git("switch", "-q", "main")
  const { tasks } = await fleet.json(TasksDocument, ["import", "--all"])
  expect(tasks.map(({ repos }) => repos[0]?.branch).sort()).toEqual([id, "fix"])
  expect(await fleet.client.show(id)).toMatchObject({ state: "in_approval" })
})
