/** Law 2, from outside: an agent that moves the target itself does not stay unseen, and decides nothing by it. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../support/fleet.ts"

const MOVES = "git update-ref refs/heads/main HEAD"
const WORKS_AND_MOVES = `echo x > x.txt; git add x.txt; git commit -qm x; ${MOVES}`

test("an agent that moves the target itself is named by an event, by status and by its task, and a person decides [2.6, 2.11, 2.12]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const before = fleet.repo.tip("main")
  const id = await fleet.start(WORKS_AND_MOVES)
  const { data, task } = await fleet.event(({ type }) => type === "target.moved")
  expect([task, data]).toMatchObject([id, { from: before, target: "refs/heads/main" }])
  const { maintenance } = await fleet.json(StatusDocument, ["status"])
  expect(maintenance?.problems.join("\n")).toContain("main of ")
  expect(maintenance?.problems.join("\n")).toContain(`update-ref refs/heads/main ${before}`)
  const held = await fleet.until(id)
  expect([held.state, held.landing?.state]).toEqual(["in_approval", "in_review"])
  expect(held.landing?.reason).toContain("moved past the gate")
  expect(held.landing?.reason).toContain(`update-ref refs/heads/main ${before}`)
  await fleet.json(TaskDocument, ["approve", id])
  const { state, reason } = await fleet.until(id, ({ state }) => state === "complete")
  expect([state, reason?.text]).toEqual([
    "complete",
    expect.stringContaining("moved past the gate"),
  ])
})

test("commits after those that the agent put on the target land only with a person's approval [2.12]", async () => {
  await using fleet = new Fleet()
  const before = fleet.repo.tip("main")
  const held = await fleet.json(TaskDocument, [
    ...["run", `${WORKS_AND_MOVES}; echo y > y.txt; git add y.txt; git commit -qm y`],
  ])
  expect([held.state, held.landing?.repos[0]?.base]).toEqual(["in_approval", before])
  await fleet.json(TaskDocument, ["approve", held.id])
  expect(await fleet.until(held.id)).toMatchObject({ landing: { outcome: "LANDED" } })
})

test("work that a reviewer put on the target still needs a person's approval [2.12]", async () => {
  await using fleet = new Fleet()
  const STEPS = fleet.steps
  fleet.configure({
    repo: { gate: "test ! -f red.txt" },
    sh: { review: { by: "critic" }, landing: { mode: "approve" } },
    agents: {
      critic: {
        runtime: "command",
        command: 'exec sh "$STEPS/review"',
        env: { STEPS },
        containment: "none",
      },
    },
  })
  const before = fleet.repo.tip("main")
  writeFileSync(join(STEPS, "review"), `${MOVES}; echo APPROVE`)
  const held = await fleet.json(TaskDocument, ["run", "echo x > red.txt"])
  expect([held.state, held.landing?.state]).toEqual(["in_approval", "in_review"])
  expect(held.landing?.reason).toContain("moved past the gate")
  expect(held.landing?.repos[0]?.base).toBe(before)
  // Once the move is taken back, approved work passes the gate, or does not, as usual.
  fleet.repo.git("update-ref", "refs/heads/main", before)
  fleet.configure({
    sh: { landing: { mode: "approve", max_handbacks: 0 } },
    repo: { gate: "test ! -f red.txt" },
  })
  await fleet.coppice("approve", held.id)
  const { state, landing } = await fleet.until(held.id, ({ state }) => state === "merge_failed")
  expect([state, landing?.outcome]).toEqual(["merge_failed", "PRE_MERGE_FAILED"])
})
