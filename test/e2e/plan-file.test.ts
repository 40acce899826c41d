/** `coppice run --plan-file`: a list becomes tasks, all or none. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { NewTasks } from "../../src/api/wire/requests.ts"
import { TaskDocument, TasksDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

const PLAN = `
- title: Second
  prompt: echo 2 > second
  after: First
- title: First
  prompt: sleep 0.2; echo 1 > first
`

function written(fleet: Fleet, text: string): string {
  const path = join(fleet.home.path, "plan.yml")
  writeFileSync(path, text)
  return path
}

test("the tasks of a plan file land in its order, with the options as defaults [15.21]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const plan = written(fleet, PLAN)
  const earlier = await fleet.start("echo 0 > earlier")
  const args = ["run", "--plan-file", plan, "--after", earlier, "--priority", "3"]
  const { tasks } = await fleet.json(TasksDocument, args)
  expect(tasks.map(({ id, title, after, priority }) => [id, title, after, priority])).toEqual([
    ["2", "First", [earlier], 3],
    ["3", "Second", [earlier, "2"], 3],
  ])
  for (const { id } of tasks) expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.log().slice(0, 3)).toEqual(["agent: Second", "agent: First", expect.anything()])
})

test("a plan with a mistake in its last task adds no task [15.22]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const unknown = written(fleet, `${PLAN}- { title: Third, agent: gone }`)
  const refused = await fleet.coppice("run", "--plan-file", unknown)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/no agent gone/) })
  fleet.configure({ repo: { gate: false }, sh: { workspace: { when_busy: "skip" } } })
  const busy = written(fleet, `${PLAN}- { title: A, workItem: w }\n- { title: B, workItem: w }`)
  const skipped = await fleet.coppice("run", "--plan-file", busy)
  expect(skipped).toMatchObject({ code: 2, stderr: expect.stringContaining("w") })
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toEqual([])
  const { id } = await fleet.json(TaskDocument, ["run", "true"])
  expect(id, "nothing was added and removed again").toBe("1")
})

test("a task of a plan starts from the work of the one that its `on` names, in the same way [15.21]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const earlier = await fleet.start("echo 0 > earlier")
  const lower = "{ title: Lower, prompt: echo 1 > one, land: approve }"
  const upper = "{ title: Upper, prompt: cat one > two, on: Lower }"
  const file = written(fleet, `- ${upper}\n- ${lower}`)
  const shown = await fleet.coppice("run", "--plan-file", file, "--dry-run")
  expect(shown.stdout).toMatch(/2 +Upper +on 1\n/)
  const { tasks } = await fleet.json(TasksDocument, ["run", "--plan-file", file, "--on", earlier])
  expect(tasks).toMatchObject([
    { id: "2", on: earlier },
    { id: "3", on: "2" },
  ])
  await fleet.until("2", ({ state }) => state === "in_approval")
  await fleet.coppice("approve", "2")
  await fleet.until("3", ({ state }) => state === "in_approval")
  await fleet.coppice("approve", "3")
  expect(await fleet.until("3")).toMatchObject({ state: "complete" })
  expect(fleet.log().slice(0, 2)).toEqual(["agent: Upper", "agent: Lower"])

  const apart = written(fleet, "- { title: A, land: none }\n- { title: B, on: A, land: merge }")
  const refused = await fleet.coppice("run", "--plan-file", apart)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('task "A": both have') })
  expect((await fleet.client.list()).tasks).toHaveLength(3)
})

test("--dry-run shows the tasks of a plan file and starts no daemon [15.22]", async () => {
  await using fleet = new Fleet()
  const plan = written(fleet, PLAN)
  const shown = await fleet.coppice("run", "--plan-file", plan, "--dry-run")
  expect(shown.stdout).toMatch(/2 tasks would be added:\n +1 +First\n +2 +Second +after 1/)
  const { tasks } = await fleet.json(NewTasks, ["run", "--plan-file", plan, "--dry-run"])
  expect(tasks.map(({ follows }) => follows)).toEqual([[], [0]])
  expect(await fleet.json(StatusDocument, ["status"])).toMatchObject({ running: false })
})

test("refuses a prompt with a plan file, a file that is missing, and --dry-run alone", async () => {
  await using fleet = new Fleet()
  for (const args of [
    ["prompt", "--plan-file", written(fleet, PLAN)],
    ["--plan-file", "missing.yml"],
    ["--plan-file", "plan.txt"],
    ["prompt", "--dry-run"],
  ])
    expect(await fleet.coppice("run", ...args)).toMatchObject({ code: 2 })
})
