import { expect, test } from "vitest"
import { arrows } from "../../../../test/support/machine.ts"
import { addSampleLanding } from "../../../../test/support/store.ts"
import type { Oid } from "../../../base/ids.ts"
import { next } from "../../../base/machine.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { IN_FLIGHT_STATES, LANDING, type LandingState } from "../rules.ts"
import { addLanding } from "./add.ts"
import { findLanding, findLandingOfTask } from "./find.ts"
import { listDue, listRunnable, nextWakeMs } from "./list.ts"
import { type LandingChange, recordIntent, recordLanding } from "./record.ts"
import type { Landing } from "./row.ts"

const states = Object.keys(LANDING) as LandingState[]
const events = [...new Set(arrows(LANDING).map(({ event }) => event))]
const oid = (digit: string) => digit.repeat(40) as Oid

function force(db: Db, state: LandingState, inFlight = false) {
  sql(db, "update landings set state = :state").run({ state })
  sql(db, "update landing_repos set in_flight = :on").run({ on: inFlight ? 1 : 0 })
}

/** How many of the landing's repositories are marked as in flight. */
const marked = (db: Db) =>
  sql(db, "select count(*) as n from landing_repos where in_flight = 1").read()["n"]

function record(db: Db, { id }: Landing, change: LandingChange) {
  expect(recordLanding(db, findLanding(db, id)!, change, 2000)).toBe(true)
  return findLanding(db, id)!
}

test("every arrow of the table is taken, any other is our bug, and flight is marked", () => {
  const db = openDb(":memory:")
  const { id } = addSampleLanding(db, ["/a:main", "/b:main"])
  const inFlight: readonly LandingState[] = IN_FLIGHT_STATES
  for (const from of states)
    for (const event of events) {
      force(db, from, inFlight.includes(from))
      const to = next(LANDING, from, event)
      const recording = () => recordLanding(db, { id, state: from }, { event }, 2000)
      if (to === undefined) expect(recording).toThrow(expect.objectContaining({ blame: "bug" }))
      else expect(recording()).toBe(true)
      expect(findLanding(db, id)?.state).toBe(to ?? from)
      expect(marked(db), `${from} ${event}`).toBe(inFlight.includes(to ?? from) ? 2 : 0)
    }
})

test("a landing that waits for the same again has waited since it first did [12.16]", () => {
  const db = openDb(":memory:")
  const { id } = addSampleLanding(db)
  const since = (event: LandingChange["event"], nowMs: number, outcome?: Landing["outcome"]) => {
    expect(recordLanding(db, findLanding(db, id)!, { event, outcome }, nowMs)).toBe(true)
    return findLanding(db, id)?.sinceMs
  }
  const blocked = (nowMs: number, outcome: Landing["outcome"]) => {
    since("snapshotted", nowMs)
    since("claimed", nowMs)
    since("prepared", nowMs, null)
    return since("blocked", nowMs, outcome)
  }
  expect(blocked(1000, "DIRTY_MAIN")).toBe(1000)
  expect(since("woken", 2000)).toBe(2000)
  expect(blocked(3000, "DIRTY_MAIN"), "the same").toBe(1000)
  since("woken", 4000)
  expect(blocked(5000, "LOCKED"), "another").toBe(5000)
  since("woken", 6000)
  expect(blocked(7000, "DIRTY_MAIN"), "another than the last").toBe(7000)
  since("paused", 8000, null)
  since("resubmitted", 9000)
  expect(blocked(10_000, "DIRTY_MAIN"), "after a stop").toBe(10_000)
})

test("a row that has moved is left alone", () => {
  const db = openDb(":memory:")
  const stale = addSampleLanding(db)
  const queued = record(db, stale, { event: "snapshotted" })
  expect(recordLanding(db, stale, { event: "cancelled" }, 3000)).toBe(false)
  expect(findLanding(db, stale.id)).toEqual(queued)
})

test("a change keeps values that it does not name, and null clears one", () => {
  const db = openDb(":memory:")
  const added = addSampleLanding(db, ["/a:main", "/b:main"])
  expect(added).toEqual({
    id: 1,
    task: 1,
    state: "snapshotting",
    outcome: null,
    reason: null,
    details: null,
    attempts: 0,
    races: 0,
    handbacks: 0,
    wakeAtMs: null,
    sinceMs: 1000,
    queuedAtMs: 1000,
    decided: false,
    undoes: null,
    repos: ["/a", "/b"].map((path, n) => ({
      name: `r${n}`,
      path,
      target: "refs/heads/main",
      head: null,
      base: null,
      candidate: null,
      published: false,
      receipt: null,
      pushed: false,
      intent: null,
    })),
  })

  const blocked = record(db, added, {
    event: "blocked",
    outcome: "DIRTY_MAIN",
    reason: "a.txt is in the way",
    details: { paths: ["a.txt"] },
    wakeAtMs: 4000,
    races: 2,
    repos: [{ name: "r1", head: oid("1"), published: true }],
  })
  expect(blocked).toMatchObject({ state: "waiting", sinceMs: 2000, queuedAtMs: 1000, races: 2 })
  const [first, second] = added.repos
  expect(blocked.repos).toEqual([first, { ...second, head: oid("1"), published: true }])

  const woken = record(db, added, { event: "woken", outcome: undefined, details: null })
  expect(woken).toEqual({ ...blocked, state: "snapshotting", details: null })
  const cleared = record(db, added, {
    event: "blocked",
    outcome: null,
    reason: null,
    wakeAtMs: null,
    repos: [{ name: "r1", head: null }],
  })
  expect(cleared).toMatchObject({ outcome: null, reason: null, wakeAtMs: null, races: 2 })
  expect(cleared.repos[1]).toMatchObject({ head: null, published: true })
})

test("a transition and the event that tells of it are one", () => {
  const db = openDb(":memory:")
  const landing = addSampleLanding(db)
  record(db, landing, { event: "blocked", outcome: "LOCKED", reason: "index.lock is there" })
  record(db, landing, { event: "woken" })
  force(db, "gating")
  record(db, landing, { event: "handedBack", outcome: "PRE_MERGE_FAILED", reason: null })
  const told = listEvents(db, { after: 1, limit: 9 }).map(({ type, task, data }) => {
    expect(task).toBe(landing.task)
    return [type, data]
  })
  const reason = "index.lock is there"
  expect(told).toEqual([
    ["landing.submitted", { landing: 1 }],
    [
      "landing.blocked",
      { landing: 1, from: "snapshotting", to: "waiting", outcome: "LOCKED", reason },
    ],
    [
      "landing.woken",
      { landing: 1, from: "waiting", to: "snapshotting", outcome: "LOCKED", reason },
    ],
    [
      "landing.handed_back",
      { landing: 1, from: "gating", to: "handed_back", outcome: "PRE_MERGE_FAILED", reason: null },
    ],
  ])
})

test("the event of a hand-back has what wanted it [12.23]", () => {
  const db = openDb(":memory:")
  const landing = addSampleLanding(db)
  const url = "https://forge.example/1"
  const pull = { url, requests: [], failures: [], thrownOut: null, others: null }
  const requests = [{ author: "ann", text: "no", comments: [] }]
  const failures = [{ name: "lint", text: "", url: null }]
  const thrownOut = { reason: "red", target: null }
  const all = [
    { pull: { ...pull, requests, failures } },
    { pull: { ...pull, failures } },
    { pull: { ...pull, failures, thrownOut } },
    { review: { reviews: [] } },
    { gate: {} },
    null,
  ]
  for (const facts of all) {
    force(db, "proposed")
    const details = facts && { repo: "r0", ...facts }
    record(db, landing, { event: "handedBack", outcome: "CHANGES_REQUESTED", details })
  }
  const told = listEvents(db, { after: 2, limit: 9 }).map(({ data }) => data["causes"])
  const queue = ["MERGE_QUEUE"]
  const nothing = [undefined, undefined]
  expect(told).toEqual([["REVIEW", "CHECKS"], ["CHECKS"], queue, ["REVIEWER_AGENT"], ...nothing])
})

test("a change of a repository that is not the landing's is our bug, and changes nothing", () => {
  const db = openDb(":memory:")
  const landing = addSampleLanding(db)
  const change = { event: "snapshotted", repos: [{ name: "elsewhere", head: oid("1") }] } as const
  expect(() => recordLanding(db, landing, change, 2000)).toThrow(
    expect.objectContaining({ blame: "bug" }),
  )
  expect(findLanding(db, landing.id)).toEqual(landing)
})

test("an intent is written down without a change of state, and cleared [7.2]", () => {
  const db = openDb(":memory:")
  const landing = addSampleLanding(db)
  const intent = { from: oid("1"), to: oid("2"), pid: 7 }
  recordIntent(db, landing, "r0", intent)
  const [repo] = landing.repos
  expect(findLanding(db, landing.id)).toEqual({ ...landing, repos: [{ ...repo, intent }] })
  recordIntent(db, landing, "r0", null)
  expect(findLanding(db, landing.id)).toEqual(landing)
  expect(() => recordIntent(db, landing, "elsewhere", intent)).toThrow(
    "the landing has this repository",
  )
})

test("a task has one landing under way; the latest is the one that counts", () => {
  const db = openDb(":memory:")
  const first = addSampleLanding(db)
  const again = () => addLanding(db, { task: first.task, repos: [] }, 2000)
  for (const state of states) {
    force(db, state)
    if (state !== "landed" && state !== "cancelled") expect(again, state).toThrow("UNIQUE")
  }
  force(db, "landed")
  const second = again()
  expect(findLandingOfTask(db, first.task)).toEqual(second)
  expect(findLandingOfTask(db, addSampleLanding(db).task)?.id).toBe(3)
  expect(findLandingOfTask(db, 99 as typeof first.task)).toBeUndefined()
})

test("runnable landings are listed, first come first", () => {
  const db = openDb(":memory:")
  const late = addSampleLanding(db, ["/a:main"], 2000)
  const early = addSampleLanding(db, ["/a:main"], 1000)
  const waiting = addSampleLanding(db, ["/a:main"], 500)
  record(db, waiting, { event: "blocked" })
  expect(listRunnable(db).map(({ id }) => id)).toEqual([early.id, late.id])
})

test("a waiting landing is due at its time, and one that waits for a person never", () => {
  const db = openDb(":memory:")
  expect(nextWakeMs(db)).toBeUndefined()
  const later = addSampleLanding(db)
  const sooner = addSampleLanding(db)
  const never = addSampleLanding(db)
  for (const [landing, wakeAtMs] of [
    [later, 5000],
    [sooner, 3000],
    [never, null],
  ] as const)
    record(db, landing, { event: "blocked", wakeAtMs })
  const due = (nowMs: number) => listDue(db, nowMs).map(({ id }) => id)
  expect(nextWakeMs(db)).toBe(3000)
  expect([due(2999), due(3000), due(9000)]).toEqual([[], [sooner.id], [later.id, sooner.id]])
  record(db, sooner, { event: "woken" })
  expect([nextWakeMs(db), due(9000)]).toEqual([5000, [later.id]])
  expect(nextWakeMs(db, new Set([later.id])), "it is being checked").toBeUndefined()
})
