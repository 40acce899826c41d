/** Budgets of agents, through the whole program. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

test("a budget stops a task at the end of its turn, before the next one, and a restart grants it again", async () => {
  const gate = "test ! -f bad.txt"
  await using fleet = new Fleet({ repo: { gate }, sh: { budget: { turns: 1 } } })
  const stopped = await fleet.json(TaskDocument, ["run", "echo b > bad.txt; echo w > w.txt"], 1)
  expect(stopped).toMatchObject({ state: "stuck", reason: { code: "budget" }, usage: { turns: 2 } })
  expect(stopped.reason?.text).toContain("1 turns")
  fleet.step(3, "rm bad.txt")
  await fleet.json(TaskDocument, ["restart", "-d", stopped.id])
  const task = await fleet.until(stopped.id)
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(fleet.repo.git("show", "main:w.txt")).toBe("w")
})
