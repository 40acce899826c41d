/** Tasks that work on one branch, in one worktree. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import type { LandingId } from "../../src/base/ids.ts"
import { Fleet } from "../support/fleet.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"
import { forceState } from "../support/store.ts"

const hasBranch = (repo: TestRepo) => repo.git("branch", "--list", "shared") !== ""

/** Two tasks that land the same branch, from the same worktree. */
function submitTwo(repo: TestRepo, it: LandingTest) {
  const worktree = repo.worktree("shared")
  repo.commit({ a: "a" }, "A1", worktree)
  const base = it.tip("main")
  const submit = () => it.submit({ branch: "shared", base })
  return { worktree, first: submit(), second: submit() }
}

test("M24: tasks share a branch: it and its worktree stay until the last of them has landed [25.8]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  const { worktree, first, second } = submitTwo(repo, it)
  expect(await it.run(first)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.landing(first).reason).toContain(`task ${it.task(second).id} works there as well`)
  expect([existsSync(worktree), hasBranch(repo)]).toEqual([true, true])
  expect(it.task(first)).toMatchObject({ state: "complete", repos: [{ worktree: null }] })

  repo.commit({ b: "b" }, "A2", worktree)
  expect(await it.run(second)).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect([existsSync(worktree), hasBranch(repo)]).toEqual([false, false])
  expect(it.history()).toEqual(["commit", "A1", "A2"])
})

test.each(["cancelled", "complete", "deleted"] as const)(
  "M24: a sibling that is %s keeps nothing alive [25.8]",
  async (end) => {
    using repo = new TestRepo()
    await using it = new LandingTest(repo)
    const { worktree, first, second } = submitTwo(repo, it)
    endTask(it, second, end)
    expect(await it.run(first)).toMatchObject({ state: "landed" })
    expect([existsSync(worktree), hasBranch(repo)]).toEqual([false, false])
  },
)

function endTask(it: LandingTest, id: LandingId, end: "cancelled" | "complete" | "deleted"): void {
  const task = it.task(id)
  it.db.exec(`update landings set state = 'cancelled' where id = ${id}`)
  if (end === "deleted") it.db.exec(`delete from tasks where id = ${task.id}`)
  else forceState(it.db, task.id, end)
}

test("work on a work item goes on in the worktree that an earlier task of it has left [25.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const run = (prompt: string, ...args: string[]) =>
    fleet.json(TaskDocument, ["run", prompt, "--work-item", "gh-17", ...args])
  const first = await run("echo 1 > one.txt", "--land", "none")
  const { worktree, branch } = first.repos[0]!
  const second = await run('cp one.txt "$STEPS/seen"; pwd > "$STEPS/where"; echo 2 > two.txt')
  expect(second).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(second.repos[0]).toMatchObject({ branch, base: first.repos[0]?.base })
  expect(fleet.noted("where")).toEqual([worktree])
  expect(readFileSync(join(fleet.steps, "seen"), "utf8")).toBe("1\n")
  expect(fleet.repo.git("show", "main:one.txt")).toBe("1")
  expect(fleet.leftovers()).toEqual([])

  expect((await fleet.client.show(first.id)).repos[0]?.worktree).toBeNull()
  const refused = await fleet.coppice("land", first.id, "--json")
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining("task.refused") })
  const { events } = await fleet.json(EventsDocument, ["events", first.id])
  expect(events.at(-1)).toMatchObject({ type: "workspace.passed_on", data: { repo: "app", to: 2 } })
})
