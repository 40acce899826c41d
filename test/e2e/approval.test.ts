/** `land: approve`, as a person meets it on the command line. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { shareFleet } from "../support/shared-fleet.ts"

const renewed = shareFleet()
const GATED = { repo: { gate: "true" }, sh: { landing: { mode: "approve" } } }

test("run ends when its work is in review; approve lands it [15.15]", async () => {
  const fleet = await renewed(GATED)
  const main = fleet.repo.tip("main")
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", attention: true })
  expect(task.landing).toMatchObject({ state: "in_review", base: main, candidate: null })
  expect(fleet.repo.tip("main")).toBe(main)
  const why = await fleet.json(WhyDocument, ["why", task.id])
  expect(why.waitingFor).toContain("a person")
  expect(why.unblock).toContain(`coppice approve ${task.id}`)

  await fleet.json(TaskDocument, ["approve", "-d", task.id])
  const done = await fleet.until(task.id)
  expect(done).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:work.txt")).toBe("w")
  expect(fleet.leftovers()).toEqual([])
})

test("approve --head refuses an unseen commit; a later commit needs a new approval [11.1]", async () => {
  const fleet = await renewed(GATED)
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  const { worktree, head } = task.repos[0]!
  writeFileSync(join(worktree!, "late.txt"), "late")
  const seen = ["approve", "-d", task.id, "--head", head!]
  await fleet.json(TaskDocument, seen)
  const again = await fleet.until(
    task.id,
    ({ state, repos }) => state === "in_approval" && repos[0]?.head !== head,
  )
  expect(again.landing).toMatchObject({ state: "in_review" })
  const refused = await fleet.coppice(...seen, "--json")
  expect(refused.code).toBe(2)
  expect(JSON.parse(refused.stdout).error).toMatchObject({ code: "approval.stale" })

  await fleet.json(TaskDocument, ["land", task.id])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "main:late.txt")).toBe("late")
})

test("reject is a next turn of the same session, with the person's words [15.15]", async () => {
  const fleet = await renewed(GATED)
  fleet.step(2, 'cat > "$STEPS/prompt"; echo better > work.txt')
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  const rejected = await fleet.json(TaskDocument, ["reject", "-d", task.id, "Make it better."])
  expect(rejected).toMatchObject({ state: "working", sessionId: task.sessionId })
  const again = await fleet.until(task.id)
  expect(again).toMatchObject({ state: "in_approval", usage: { turns: 2 } })
  expect(again.landing).toMatchObject({ handbacks: 0 })
  expect(readFileSync(join(fleet.steps, "prompt"), "utf8")).toContain("Make it better.")

  await fleet.json(TaskDocument, ["approve", "-d", task.id])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("show", "main:work.txt")).toBe("better")
})

test("work that waits for a person still waits when the daemon has ended [15.15]", async () => {
  const fleet = await renewed(GATED)
  const { id } = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(await fleet.coppice("down")).toMatchObject({ code: 0 })
  const task = await fleet.json(TaskDocument, ["approve", "-d", id])
  expect(task.state).not.toBe("in_approval")
  expect(await fleet.until(id)).toMatchObject({ state: "complete", usage: { turns: 1 } })
})

test("an agent cannot approve, and only work in review can be approved [15.15]", async () => {
  const fleet = await renewed(GATED)
  const { id } = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  Object.assign(fleet.extra, { COPPICE_TASK: id, COPPICE_JOB: "1" })
  for (const verb of ["approve", "reject"])
    expect((await fleet.coppice(verb, id, "--json")).stdout).toContain("agent.refused")
  for (const name of ["COPPICE_TASK", "COPPICE_JOB"]) delete fleet.extra[name]
  await fleet.json(TaskDocument, ["cancel", id])
  for (const verb of ["approve", "reject"])
    expect((await fleet.coppice(verb, id, "--json")).stdout).toContain("task.refused")
})

test("a repository that wants approvals gets one from an agent that lands automatically [15.15]", async () => {
  const fleet = await renewed({ repo: { gate: false, approve: true } })
  const run = await fleet.coppice("run", "echo w > work.txt", "--work-item", "WORK-1")
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("once you approve it") })
  expect(await fleet.client.show("WORK-1")).toMatchObject({ state: "in_approval" })
  const nothing = await fleet.json(TaskDocument, ["run", "true"])
  expect(nothing).toMatchObject({ state: "complete", reason: { code: "no_changes" } })
})

test("work that was landed again after it had stopped is handed back to a job of its own [15.15]", async () => {
  const fleet = await renewed({ repo: { gate: "test ! -f bad.txt" } })
  fleet.step(2, "rm bad.txt; echo ok > ok.txt")
  const kept = await fleet.json(TaskDocument, ["run", "echo b > bad.txt", "--land", "none"])
  expect(kept).toMatchObject({ state: "complete", jobs: [{ state: "ended" }] })
  await fleet.json(TaskDocument, ["land", kept.id])
  const done = await fleet.until(kept.id)
  expect(done).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 1 } })
  expect(done.jobs).toHaveLength(2)
})

test("an agent that renames its branch to another task's work item captures no person's word [15.2]", async () => {
  const fleet = await renewed(GATED)
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt", "--work-item", "FIX-12"])
  fleet.step(1, "echo evil > evil.txt; git branch -m FIX-12")
  const other = await fleet.coppice("run", "rename", "--json")
  expect(JSON.parse(other.stdout)).toMatchObject({
    state: "merge_failed",
    reason: { text: expect.stringContaining(`which belongs to task ${task.id}`) },
  })
  await fleet.json(TaskDocument, ["approve", "-d", "FIX-12"])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("evil.txt")
})
