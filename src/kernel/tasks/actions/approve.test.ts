import { expect, test } from "vitest"
import {
  addSampleSession,
  addSampleTask,
  forceState,
  putInReview,
  SEEN,
} from "../../../../test/support/store.ts"
import { addAlternatives } from "../../../features/alternatives/rows.ts"
import type { FleetRows } from "../../home.ts"
import { A_PERSON, listApprovals } from "../../landing/rows/approvals.ts"
import { findLanding, findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { planId } from "../plan-id.ts"
import { findTask } from "../rows/find.ts"
import type { Task } from "../rows/row.ts"
import { findOpenTurn } from "../rows/turns/find.ts"
import { approve } from "./approve.ts"
import { land } from "./land.ts"
import { reject } from "./reject.ts"

const fleet = (db: Db): FleetRows => ({
  db,
  world: { nowMs: () => 5, dice: () => 0, point: () => {} },
})
const again = (db: Db, { id }: Task) => findTask(db, id)!

function inReview(db: Db, names = ["app"], agent: string | null = "coder"): Task {
  const repos = names.map((name) => ({ name, path: `/repos/${name}`, target: "main" }))
  const task = addSampleTask(db, { repos, agent })
  putInReview(db, task)
  forceState(db, task.id, "in_approval")
  return again(db, task)
}

test.each([
  ["approve", approve],
  ["land", land],
] as const)("%s approves the commits in review, and the landing goes on", (_, act) => {
  const db = openDb(":memory:")
  const task = inReview(db)
  act(fleet(db), task)
  expect(again(db, task).state).toBe("merging")
  expect(findLandingOfTask(db, task.id)?.state).toBe("snapshotting")
  expect(listApprovals(db, { task: task.id, name: "app", head: SEEN.head })).toEqual([
    { approver: A_PERSON, base: SEEN.base },
  ])
  const told = listEvents(db, { after: 0, limit: 99 }).find(({ type }) => type === "approval.given")
  expect(told?.data).toEqual({ landing: 1, repo: "app", ...SEEN })
})

test("work in several repositories lands when each is approved", () => {
  const db = openDb(":memory:")
  const task = inReview(db, ["app", "web"])
  approve(fleet(db), task, { repo: "web" })
  expect(again(db, task).state).toBe("in_approval")
  expect(() => approve(fleet(db), task, { repo: "web" })).toThrow(
    expect.objectContaining({ code: "repo.unknown", hints: ["Waiting: app."] }),
  )
  approve(fleet(db), task)
  expect(again(db, task).state).toBe("merging")
})

test("approving another commit than the one in review does nothing; the start of the right id will do", () => {
  const db = openDb(":memory:")
  const task = inReview(db)
  expect(() => approve(fleet(db), task, { head: "c".repeat(40) })).toThrow(
    expect.objectContaining({ code: "approval.stale", blame: "user" }),
  )
  expect(again(db, task).state).toBe("in_approval")
  approve(fleet(db), task, { head: SEEN.head.slice(0, 7) })
  expect(again(db, task).state).toBe("merging")
})

test("an approval of a plan names it: no commit, no other plan and no plan at all will do [16.6]", () => {
  const db = openDb(":memory:")
  const task = addSampleTask(db, { planMode: "approve" })
  addSampleSession(db, task.id)
  sql(db, "update tasks set plan = 'Plan B'").run({})
  forceState(db, task.id, "planning_complete")
  const planned = again(db, task)
  const seen = planId("Plan A")
  for (const what of [{ head: SEEN.head }, { plan: seen }, {}])
    expect(() => approve(fleet(db), planned, what)).toThrow(
      expect.objectContaining({ code: "approval.stale" }),
    )
  expect(again(db, task).state).toBe("planning_complete")
  approve(fleet(db), planned, { plan: planId("Plan B").slice(0, 12) })
  expect(again(db, task).state).toBe("working")
})

test("an approval of a plan does not approve the work that came of it since [16.6]", () => {
  const db = openDb(":memory:")
  const task = inReview(db)
  expect(() => approve(fleet(db), task, { plan: planId("Plan A") })).toThrow(
    expect.objectContaining({ code: "approval.stale" }),
  )
  expect(again(db, task).state).toBe("in_approval")
})

test("a rejection is the next turn of the same session, and no hand-back", () => {
  const db = openDb(":memory:")
  const task = inReview(db)
  reject(fleet(db), task, { feedback: "Say it in German." })
  expect(again(db, task)).toMatchObject({ state: "working" })
  const landing = findLandingOfTask(db, task.id)!
  expect(landing).toMatchObject({ state: "handed_back", handbacks: 0, reason: "Say it in German." })
  const turn = findOpenTurn(db, task.id)
  expect(turn).toMatchObject({ session: `session-${task.id}` })
  expect(turn?.prompt).toContain("Say it in German.")
  expect(listApprovals(db, { task: task.id, name: "app", head: SEEN.head })).toEqual([])
})

test("work that no agent did cannot be rejected", () => {
  const db = openDb(":memory:")
  const task = inReview(db, ["app"], null)
  expect(() => reject(fleet(db), task)).toThrow(/No agent did the work/)
  expect(findLanding(db, findLandingOfTask(db, task.id)!.id)?.state).toBe("in_review")
})

test("an alternative without changes, which is being recorded, keeps no other from being picked [51.2]", () => {
  const db = openDb(":memory:")
  const [task, same, other] = [inReview(db), inReview(db), inReview(db)]
  const ids = [task, same, other].map(({ id }) => id)
  addAlternatives(db, ids)
  forceState(db, same.id, "merging")
  for (const event of ["approved", "snapshotted", "claimed", "unchanged"] as const)
    recordLanding(db, findLandingOfTask(db, same.id)!, { event }, 3)
  approve(fleet(db), task)
  expect(ids.map((id) => findTask(db, id)?.state)).toEqual(["merging", "merging", "cancelled"])
})
