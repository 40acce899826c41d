/** Work sources: items become tasks, and the source learns what became of them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { SourcesDocument } from "../../src/features/sources/wire.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

/** A home whose folder `items` is a source named `todo`. */
function createFleet(source: object = {}): Fleet {
  const fleet = new Fleet({ repo: { gate: false } })
  const agent = { runtime: "command", command: SH, env: { STEPS: fleet.steps } }
  const todo = { type: "files", folder: "items", interval: "1s", ...source }
  const file = { version: 1, repos: { app: { gate: false } }, agents: { sh: agent } }
  fleet.repo.commit({ ".gitignore": "items/\n" }, "ignore")
  fleet.approve({ ...file, sources: { todo } }, "configure")
  mkdirSync(join(fleet.repo.path, "items"))
  return fleet
}

const SH = 'sh "$STEPS/$COPPICE_TURN"'
const WORK = 'cat > "$STEPS/prompt"; echo x > "$COPPICE_WORK_ITEM_ID"; env > "$STEPS/env"'

function put(fleet: Fleet, name: string, text: string, status = "ready"): void {
  const file = join(fleet.repo.path, "items", `${name}.md`)
  writeFileSync(file, `---\ntitle: Do ${name}\nstatus: ${status}\n---\n${text}\n`)
}

/** Waits until the item has a task, and the task is as `wanted`. */
async function taskOf(fleet: Fleet, item: string, wanted?: (task: TaskDocument) => boolean) {
  const find = async () =>
    (await fleet.client.list()).tasks.find(({ workItem }) => workItem === item)
  const { id } = await waitFor(`a task of ${item}`, find)
  return await fleet.until(id, wanted)
}

const list = (fleet: Fleet) => fleet.json(SourcesDocument, ["sources"])

test("a ready file becomes one task, with its words as data, and is not taken again [39.1]", async () => {
  await using fleet = createFleet()
  fleet.step(1, WORK)
  put(fleet, "count", "Count words; rm -rf `echo x`.")
  put(fleet, "later", "Not yet.", "draft")
  await fleet.coppice("up", "-d")
  const task = await taskOf(fleet, "todo-count")
  expect(task).toMatchObject({ state: "complete", title: "Do count", workItem: "todo-count" })
  const prompt = fleet.noted("prompt").join("\n")
  expect(prompt).toContain("```\nTitle: Do count\n")
  expect(prompt).toContain("Count words; rm -rf `echo x`.\n```")
  expect(fleet.noted("env")).toContain("COPPICE_WORK_ITEM_TITLE=Do count")

  await waitFor("the end", async () => (await list(fleet)).items[0]?.state === "ended")
  const polled = (await list(fleet)).sources[0]?.polledAt
  await waitFor("another poll", async () => (await list(fleet)).sources[0]?.polledAt !== polled)
  expect((await fleet.client.list()).tasks).toHaveLength(1)
  const { stdout } = await fleet.coppice("sources")
  expect(stdout).toMatch(/todo +files .*0 of 4/)
  expect(stdout).toMatch(/todo +count +ended +1 /)
  expect((await fleet.coppice("status")).stdout).toMatch(/source +todo: polled at/)
})

test("a restart reads the item again [39.3]", async () => {
  await using fleet = createFleet()
  fleet.step(1, "exit 1")
  put(fleet, "count", "The first words.")
  await fleet.coppice("up", "-d")
  await taskOf(fleet, "todo-count", ({ state }) => state === "stuck")
  put(fleet, "count", "Better words.")
  fleet.step(2, WORK)
  await fleet.coppice("restart", "todo-count")
  const prompt = fleet.noted("prompt").join("\n")
  expect(prompt).toContain("Better words.")
  expect(prompt).not.toContain("The first words.")
})

test("a source takes no more items than it may, and says when it cannot be used [39.4]", async () => {
  await using fleet = createFleet({ max_open: 1 })
  fleet.step(1, 'until [ -e "$STEPS/go" ]; do sleep 0.1; done')
  for (const name of ["a", "b"]) put(fleet, name, "")
  await fleet.coppice("up", "-d")
  await taskOf(fleet, "todo-a", ({ state }) => state === "working")
  expect((await list(fleet)).sources[0]).toMatchObject({ open: 1, max: 1, error: null })
  expect((await fleet.client.list()).tasks).toHaveLength(1)
  rmSync(join(fleet.repo.path, "items"), { recursive: true })
  fleet.noted("go")
  const broken = await waitFor("an error", async () => {
    const [source] = (await list(fleet)).sources
    return source?.error !== null && source
  })
  expect(broken.error).toMatch(/items cannot be read \(ENOENT\)/)
  expect(broken.retryAt).not.toBeNull()
  expect((await fleet.coppice("status")).stdout).toContain("The source todo cannot be used:")
})

test("the source of a schedule is polled at its ticks alone, and `trigger` polls it at once [40.10]", async () => {
  await using fleet = new Fleet()
  const schedule = (timing: object) => ({
    ...{ prompt: "Do it well.", priority: 3, ...timing },
    work_source: { type: "files", folder: "items" },
  })
  fleet.repo.commit({ ".gitignore": "items/\n" }, "ignore")
  const often = schedule({ interval: "2s", enabled: false })
  const schedules = { often, nightly: schedule({ cron: "0 3 1 1 *" }) }
  const branch = { branch_pattern: "{scheduleName}/{workItem}" }
  const sh = { command: SH, env: { STEPS: fleet.steps }, workspace: branch, schedules }
  fleet.configure({ repo: { gate: false }, sh })
  mkdirSync(join(fleet.repo.path, "items"))
  fleet.step(1, `${WORK}; echo "$COPPICE_WORKTREE_BRANCH" >> "$STEPS/branch"`)
  const empty = await fleet.coppice("trigger", "nightly")
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining("has no item to take")])

  put(fleet, "count", "Count words.")
  const triggered = await fleet.coppice("trigger", "nightly")
  expect(triggered).toMatchObject({ code: 0, stdout: "1  Do count\n" })
  expect(await fleet.until("1")).toMatchObject({ workItem: "sh-nightly-count", priority: 3 })
  expect(fleet.noted("prompt").join("\n")).toContain("Do it well.")
  expect(fleet.noted("branch")[0]).toContain("nightly/")

  rmSync(join(fleet.repo.path, "items", "count.md"))
  put(fleet, "other", "Another one.")
  await new Promise((wake) => setTimeout(wake, 4_000))
  expect((await fleet.client.list()).tasks, "no tick has come").toHaveLength(1)
  await fleet.coppice("schedule", "often", "on")
  expect(await taskOf(fleet, "sh-often-other")).toMatchObject({ state: "complete" })
})
