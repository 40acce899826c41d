import fc from "fast-check"
import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask } from "../../../../test/support/store.ts"
import type { TaskId } from "../../../base/ids.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { findLanding } from "./find.ts"
import { moveLanding, type Place } from "./move.ts"
import { claimLanding, listQueues } from "./queue.ts"
import { recordLanding } from "./record.ts"

/** @returns the landing in its queue. */
function queue(db: Db, targets: string[], entry: { atMs?: number; priority?: number } = {}) {
  const { atMs = 1000, priority = 0 } = entry
  const landing = addSampleLanding(db, targets, atMs, { priority, after: [] })
  recordLanding(db, landing, { event: "snapshotted" }, atMs)
  return findLanding(db, landing.id)!
}

const order = (db: Db, path = "/a") =>
  listQueues(db)
    .filter((one) => one.path === path)
    .map(({ task }) => task)

const sources = fc.array(
  fc.record({ atMs: fc.nat(3), priority: fc.integer({ min: -1, max: 1 }) }),
  {
    minLength: 1,
    maxLength: 7,
  },
)
const moves = fc.array(
  fc.record({
    own: fc.nat(),
    at: fc.constantFrom("first" as const, "last" as const, "before" as const, "after" as const),
    other: fc.nat(),
  }),
  { maxLength: 8 },
)

test("every queued landing can get every place, and the others keep their order [17.14]", () => {
  const check = (
    entries: { atMs: number; priority: number }[],
    wanted: typeof moves extends fc.Arbitrary<infer M> ? M : never,
  ) => {
    const db = openDb(":memory:")
    for (const entry of entries) queue(db, ["/a:main"], entry)
    for (const { own, at, other } of wanted) {
      const before = order(db)
      const task = before[own % before.length]!
      const rest = before.filter((one) => one !== task)
      const beside = rest[other % Math.max(1, rest.length)]
      const isBeside = at === "before" || at === "after"
      if (isBeside && beside === undefined) continue
      const place = (isBeside ? { at, task: beside } : { at }) as Place
      expect(moveLanding(db, task, place, 9)).toEqual({ kind: "moved" })
      const index = { first: 0, last: rest.length, before: 0, after: 1 }[at]
      const found = isBeside ? rest.indexOf(beside!) + index : index
      expect(order(db)).toEqual(rest.toSpliced(found, 0, task))
    }
    const claimed = order(db)[0]!
    const { id } = listQueues(db).find(({ task }) => task === claimed)!
    expect(claimLanding(db, id, 9)).toBe(true)
    db.close()
  }
  fc.assert(fc.property(sources, moves, check), { numRuns: 200 })
})

test("a move changes the priority of the moved task alone, with one event [17.14]", () => {
  const db = openDb(":memory:")
  const [a, b, c] = [5, 0, 0].map((priority) => queue(db, ["/a:main"], { priority }).task)
  const priorities = () => sql(db, "select priority from tasks order by id").list()
  moveLanding(db, c!, { at: "first" }, 9)
  expect(order(db)).toEqual([c, a, b])
  expect(priorities().map(({ priority }) => priority)).toEqual([5, 0, 5])
  const told = listEvents(db, { after: 0, limit: 99 }).filter(
    ({ type }) => type === "landing.reordered",
  )
  expect(told).toMatchObject([{ task: c, data: { landing: 3, place: "first", beside: a } }])
})

test("a move changes the order of no other queue [17.14]", () => {
  const db = openDb(":memory:")
  const first = queue(db, ["/a:main"]).task
  const both = queue(db, ["/a:main", "/b:main"]).task
  const other = queue(db, ["/b:main"]).task
  const moved = queue(db, ["/a:main"]).task
  moveLanding(db, moved, { at: "before", task: both }, 9)
  expect([order(db), order(db, "/b")]).toEqual([
    [first, moved, both],
    [both, other],
  ])
})

test("a landing in flight, one that waits, one with precedence and one of another queue are fixed [17.14]", () => {
  const db = openDb(":memory:")
  const racer = queue(db, ["/a:main"])
  sql(db, "update landings set races = 5 where id = :id").run({ id: racer.id })
  const flying = queue(db, ["/b:main"])
  claimLanding(db, flying.id, 9)
  const waiting = queue(db, ["/a:main"])
  recordLanding(db, waiting, { event: "claimed" }, 9)
  recordLanding(db, findLanding(db, waiting.id)!, { event: "blocked" }, 9)
  const [one, both, elsewhere] = [
    queue(db, ["/a:main"]),
    queue(db, ["/a:main", "/b:main"]),
    queue(db, ["/c:main"]),
  ]
  const idle = addSampleTask(db).id
  const move = (task: TaskId, other: TaskId) =>
    moveLanding(db, task, { at: "before", task: other }, 9)
  for (const { task } of [racer, flying, waiting]) {
    expect(move(task, one.task)).toEqual({ kind: "fixed", task })
    expect(move(both.task, task)).toEqual({ kind: "fixed", task })
  }
  expect(move(idle, one.task)).toEqual({ kind: "fixed", task: idle })
  expect(move(one.task, elsewhere.task)).toEqual({ kind: "fixed", task: elsewhere.task })
  expect(move(both.task, one.task)).toEqual({ kind: "moved" })
  expect(order(db).slice(0, 3)).toEqual([racer.task, both.task, one.task])
})
