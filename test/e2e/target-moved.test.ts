/** Law 2, from outside: an agent that moves the target itself does not stay unseen. */
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/core/wire/home.ts"
import { Fleet } from "../support/fleet.ts"

test("an agent that moves the target itself is named by an event, by status and by its task [2.6, 2.11]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const before = fleet.repo.tip("main")
  const id = await fleet.start(
    "echo x > x.txt; git add x.txt; git commit -qm x; git update-ref refs/heads/main HEAD",
  )
  const { data, task } = await fleet.event(({ type }) => type === "target.moved")
  expect([task, data]).toMatchObject([id, { from: before, target: "refs/heads/main" }])
  const { maintenance } = await fleet.json(StatusDocument, ["status"])
  expect(maintenance?.problems.join("\n")).toContain("main of ")
  expect(maintenance?.problems.join("\n")).toContain(`update-ref refs/heads/main ${before}`)
  const { state, reason } = await fleet.until(id)
  expect([state, reason?.text]).toEqual([
    "complete",
    expect.stringContaining("moved past the gate"),
  ])
})
