/** Cleaning up from the command line: what is printed is what is done. */
import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { DoctorDocument, StatusDocument } from "../../src/core/wire/home.ts"
import { GcDocument } from "../../src/core/wire/worktrees.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

test("gc removes work that the target has and keeps the rest with a reason, which doctor shows [33.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { landing: { mode: "none" } } })
  const contained = await fleet.until(await fleet.start("true"))
  const unmerged = await fleet.until(await fleet.start("echo work > work.txt"))
  const [empty, kept] = [contained, unmerged].map(({ repos }) => repos[0]?.worktree ?? "")
  fleet.configure({
    ...{ repo: { gate: false }, sh: { landing: { mode: "none" } } },
    maintenance: { worktree_cleanup: { max_worktree_age: "1s" } },
  })
  const isPlanned = async () => {
    const plan = await fleet.client.gc({ dryRun: true })
    const items = plan.repos.flatMap((repo) => repo.items)
    return items.find(({ name, action }) => name === empty && action === "remove") && plan
  }
  const plan = await waitFor("the worktree to be old enough", isPlanned)
  expect(existsSync(empty!)).toBe(true)
  const said = await fleet.coppice("gc")
  expect(said.stdout).toContain(`removed  ${empty}`)
  expect(said.stdout).toContain(`keep     ${kept}`)
  expect(said.stdout).toContain(`task ${unmerged.id}: echo work > work.txt (complete)`)
  expect([existsSync(empty!), existsSync(kept!)]).toEqual([false, true])
  expect(GcDocument.parse(plan).dryRun).toBe(true)

  const { maintenance } = await fleet.json(StatusDocument, ["status"])
  expect(maintenance?.problems).toEqual([expect.stringContaining(kept!)])
  const { ok, checks } = await fleet.json(DoctorDocument, ["doctor"])
  expect([ok, checks.find(({ name }) => name === "maintenance")?.text]).toEqual([
    true,
    expect.stringContaining(kept!),
  ])
  const task = await fleet.client.show(contained.id)
  expect(task.repos[0]?.worktree).toBeNull()
})
