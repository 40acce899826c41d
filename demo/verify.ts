/** Looks whether what the demo shows is true, by asking Coppice, git and the project's tests. */
import { strict as assert } from "node:assert"
import type { EventDocument } from "../src/api/wire/events.ts"
import type { TasksDocument } from "../src/api/wire/tasks.ts"
import { ask, type Place } from "./command-line.ts"
import type { ScratchProject } from "./scratch-project.ts"
import { DEMO_TASKS, type DemoTaskName } from "./tasks.ts"

/** @throws with what is not as it should be. */
export async function verify(
  place: Place,
  project: ScratchProject,
  ids: ReadonlyMap<DemoTaskName, string>,
): Promise<void> {
  const { tasks } = await ask<TasksDocument>(place, "ls")
  for (const [name, id] of ids) {
    const task = tasks.find((listed) => listed.id === id)
    assert.equal(`${task?.state} ${task?.landing?.outcome}`, "complete LANDED", name)
    assert.equal(task?.landing?.handbacks, name === "separator" ? 1 : 0, `hand-backs of ${name}`)
    const { path, text } = DEMO_TASKS[name].proof
    assert.ok(project.run("git", "show", `main:${path}`).includes(text), `main has ${name}`)
  }
  const reasons = await handBackReasons(place, ids.get("separator")!)
  assert.deepEqual(reasons, ["conflicts with main in src/slug.js, test/slug.test.js"])

  assert.equal(project.run("git", "rev-list", "--count", "main"), "5", "commits on main")
  assert.equal(project.run("git", "status", "--porcelain"), "", "the checkout has followed main")
  assert.equal(project.run("git", "branch", "--format=%(refname:short)"), "main", "branches left")
  assert.match(project.run("npm", "test"), /pass 8\n(.*\n)*.*fail 0\n/, "the tests on main")
}

async function handBackReasons(place: Place, id: string): Promise<unknown[]> {
  const { events } = await ask<{ events: EventDocument[] }>(place, "events", id)
  const handBacks = events.filter(({ type }) => type === "landing.handed_back")
  return handBacks.map(({ data }) => data["reason"])
}
