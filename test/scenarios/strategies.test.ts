/** How a workspace is chosen: in a folder as it is, in a worktree, and where a branch is in use. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, TaskLinesDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const GO = 'while [ ! -f "$STEPS/go" ]; do sleep 0.05; done'
const STATIC = { workspace: { strategy: "static" } }

test("a static agent works in the user's folder as it is, one task at a time, and nothing lands [25.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: "false", setup: "false" }, sh: STATIC })
  fleet.repo.write({ "README.md": "mine\n", "notes.txt": "mine\n" })
  const tip = fleet.repo.tip("main")
  const first = await fleet.start(
    `pwd > "$STEPS/where"; env > "$STEPS/env"; ${GO}; echo 1 > one.txt`,
  )
  await fleet.until(first, () => fleet.noted("env").length > 0)
  const second = await fleet.start("cat one.txt notes.txt > two.txt")

  const why = await fleet.json(WhyDocument, ["why", second])
  expect(why.waitingFor).toBe(`task ${first}, which works on ${fleet.repo.path}`)
  const { tasks } = await fleet.client.listLines()
  expect(TaskLinesDocument.parse({ tasks }).tasks[1]).toMatchObject({ reason: { code: "busy" } })
  expect(existsSync(join(fleet.repo.path, "two.txt"))).toBe(false)

  writeFileSync(join(fleet.steps, "go"), "")
  const text = "The work stays where it is: 1 changed file"
  expect(await fleet.until(first)).toMatchObject({
    state: "complete",
    reason: { code: "left_in_place", text: `${text} (one.txt) in ${fleet.repo.path}.` },
    landing: null,
    repos: [{ branch: null, worktree: null, base: tip }],
  })
  expect((await fleet.until(second)).reason?.text).toContain(`${text} (two.txt)`)
  expect(readFileSync(join(fleet.repo.path, "two.txt"), "utf8")).toBe("1\nmine\n")
  expect(fleet.noted("where")).toEqual([fleet.repo.path])
  expect(fleet.noted("env")).toContain("COPPICE_WORKSPACE_STRATEGY=static")
  expect(fleet.repo.tip("main")).toBe(tip)
  expect(fleet.repo.git("status", "--porcelain").split("\n")).toHaveLength(4)

  const refused = await fleet.coppice("land", first, "--json")
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining("task.refused") })
  const merge = await fleet.coppice("run", "true", "--land", "merge", "--json")
  expect(merge).toMatchObject({ code: 2, stdout: expect.stringContaining("land.unsupported") })
})

test("a static task that was cancelled leaves its folder as it is, and the next one begins there", async () => {
  await using fleet = new Fleet({ sh: STATIC })
  const first = await fleet.start(`echo half > half.txt; touch "$STEPS/begun"; ${GO}`)
  await fleet.until(first, () => existsSync(join(fleet.steps, "begun")))
  const second = await fleet.start("cat half.txt > seen.txt")
  await fleet.json(TaskDocument, ["cancel", first])
  expect(await fleet.until(second)).toMatchObject({ state: "complete" })
  expect(readFileSync(join(fleet.repo.path, "seen.txt"), "utf8")).toBe("half\n")
  const removed = ({ type, task }: { type: string; task: string | null }) =>
    type === "workspace.removed" && task === first
  await fleet.event(removed)
  expect(existsSync(join(fleet.repo.path, "half.txt"))).toBe(true)
})

test("L06, S08: a task for a busy work item waits its turn, and then continues [25.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(`${GO}; echo 1 > one.txt`, "--work-item", "gh-17")
  const second = await fleet.start("cat one.txt > two.txt", "--work-item", "gh-17")
  const third = await fleet.start("echo 3 > three.txt", "--work-item", "gh-18")
  expect(await fleet.until(third), "another one does not wait").toMatchObject({ state: "complete" })
  const why = await fleet.json(WhyDocument, ["why", second])
  expect(why).toMatchObject({ waitingFor: `task ${first}, which works on gh-17` })
  expect((await fleet.coppice("ls")).stdout).toContain(`waits for task ${first}`)

  writeFileSync(join(fleet.steps, "go"), "")
  expect(await fleet.until(second)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "main:two.txt")).toBe("1")
  expect(fleet.leftovers()).toEqual([])
})

test("L06, S08: with `when_busy: skip` work on a work item that is worked on is refused, and free again later [25.6]", async () => {
  await using fleet = new Fleet({ sh: { workspace: { when_busy: "skip" } } })
  const first = await fleet.start(GO, "--work-item", "gh-17")
  const refused = await fleet.coppice("run", "true", "--work-item", "gh-17", "--json")
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining("work_item.active") })
  expect(refused.stdout).toContain("agents.<name>.workspace.when_busy: queue")
  writeFileSync(join(fleet.steps, "go"), "")
  await fleet.until(first)

  const free = await fleet.until(await fleet.start("true", "--work-item", "gh-17"))
  expect(free).toMatchObject({ state: "complete" })
})

test("L06: a person's branch with the name of a work item is left alone: the task gets another name [25.4]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const { repo } = fleet
  const theirs = "agent/sh/gh-17"
  repo.git("branch", theirs)
  const work = repo.commit({ "theirs.txt": "theirs\n" }, "theirs", repo.worktree("mine", theirs))
  repo.git("update-ref", `refs/heads/${theirs}`, work)
  const landed = await fleet.until(await fleet.start("echo 1 > one.txt", "--work-item", "gh-17"))
  expect(landed).toMatchObject({ state: "complete", repos: [{ branch: `${theirs}-2` }] })
  const cancelled = await fleet.start("sleep 60", "--work-item", "gh-17")
  await fleet.until(cancelled, ({ repos }) => repos[0]?.branch != null)
  await fleet.json(TaskDocument, ["cancel", cancelled])
  await waitFor("it to be cleaned up", () => !repo.git("branch", "--list").includes(`${theirs}-2`))
  expect(repo.tip(theirs)).toBe(work)
  expect(repo.git("ls-tree", "--name-only", "main")).not.toContain("theirs.txt")
})
