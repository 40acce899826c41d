import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  addSampleLanding,
  addSampleTask,
  forceState,
  TestFolder,
} from "../../../../test/support/store.ts"
import type { RefName, TaskId } from "../../../base/ids.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { TASK, type TaskState } from "../../tasks/rules.ts"
import { addLanding } from "./add.ts"
import { findLanding } from "./find.ts"
import { listRunnable } from "./list.ts"
import { claimLanding, findLandingAhead, listQueues, OVERTAKEN_MAX } from "./queue.ts"
import { recordDecided, recordLanding, recordPublished } from "./record.ts"
import type { Landing } from "./row.ts"

type Entering = { atMs: number; races: number; priority: number; after: readonly TaskId[] }

/** Adds a landing that is queued. */
function queue(db: Db, targets: string[], entry: Partial<Entering> = {}): Landing {
  const { atMs = 1000, races = 0, priority = 0, after = [] } = entry
  const landing = addSampleLanding(db, targets, atMs, { priority, after })
  recordLanding(db, landing, { event: "snapshotted", races }, atMs)
  return findLanding(db, landing.id)!
}

const claim = (db: Db, { id }: Landing) => claimLanding(db, id, 2000)

test("only those whose turn it is have something to do", () => {
  const db = openDb(":memory:")
  const runnable = () => listRunnable(db).map(({ id }) => id)
  const second = queue(db, ["/a:main"], { atMs: 2000 })
  const first = queue(db, ["/a:main", "/b:main"], { atMs: 1000 })
  const elsewhere = queue(db, ["/c:main"], { atMs: 3000 })
  const held = queue(db, ["/d:main"], { after: [first.task] })
  expect(runnable()).toEqual([first.id, elsewhere.id])
  expect(claim(db, first)).toBe(true)
  expect(runnable()).toEqual([first.id, elsewhere.id])
  expect([claim(db, second), claim(db, held)]).toEqual([false, false])
  recordPublished(db, first, "r0")
  expect(runnable()).toEqual([first.id, second.id, elsewhere.id])
  expect(claim(db, second)).toBe(true)
})

test("hands out the oldest of a target, one at a time", () => {
  const db = openDb(":memory:")
  const young = queue(db, ["/a:main"], { atMs: 2000 })
  const old = queue(db, ["/a:main"], { atMs: 1000 })
  expect(claim(db, young)).toBe(false)
  expect(claim(db, old)).toBe(true)
  expect(findLanding(db, old.id)).toMatchObject({ state: "preparing", sinceMs: 2000 })
  expect(claim(db, young)).toBe(false)
  recordLanding(db, findLanding(db, old.id)!, { event: "failed" }, 3000)
  expect(claim(db, young)).toBe(true)
})

test("of those that came at the same time the first submitted is first [17.3]", () => {
  const db = openDb(":memory:")
  const [first, second] = [queue(db, ["/a:main"]), queue(db, ["/a:main"])]
  expect([claim(db, second), claim(db, first)]).toEqual([false, true])
})

test("one that came first goes first, although its snapshot takes longer", () => {
  const db = openDb(":memory:")
  const slow = addSampleLanding(db, ["/a:main"], 1000)
  const quick = queue(db, ["/a:main"], { atMs: 2000 })
  expect(claim(db, quick)).toBe(false)
  recordLanding(db, slow, { event: "blocked" }, 3000) // a waiting landing blocks no other
  expect(claim(db, quick)).toBe(true)
})

test("other targets, of the same repository too, are queues of their own", () => {
  const db = openDb(":memory:")
  const all = [queue(db, ["/a:main"]), queue(db, ["/a:next"]), queue(db, ["/b:main"])]
  expect(all.map((landing) => claim(db, landing))).toEqual([true, true, true])
})

test("a landing of several repositories gets all of its targets or none", () => {
  const db = openDb(":memory:")
  const a = queue(db, ["/a:main"])
  const both = queue(db, ["/a:main", "/b:main"])
  const b = queue(db, ["/b:main"])
  expect(claim(db, a)).toBe(true)
  expect(claim(db, both)).toBe(false)
  expect(claim(db, b)).toBe(false) // `b` came later: else a wide landing might wait for ever
  recordLanding(db, findLanding(db, a.id)!, { event: "unchanged" }, 3000)
  expect([claim(db, both), claim(db, b)]).toEqual([true, false])
})

test("a less urgent landing is overtaken a few times, and then goes before more urgent ones [17.3]", () => {
  const db = openDb(":memory:")
  const low = queue(db, ["/a:main"], { atMs: 1000, priority: -1 })
  const elsewhere = queue(db, ["/b:main"], { atMs: 500 })
  const urgent = Array.from({ length: OVERTAKEN_MAX + 1 }, (_, n) =>
    queue(db, ["/a:main"], { atMs: 2000 + n, priority: 9 }),
  )
  const last = urgent.at(-1)!
  for (const one of urgent.slice(0, OVERTAKEN_MAX)) {
    expect([claim(db, low), claim(db, one)]).toEqual([false, true])
    recordLanding(db, findLanding(db, one.id)!, { event: "failed" }, 3000)
  }
  expect(findLandingAhead(db, last.id)?.id).toBe(low.id)
  expect([claim(db, last), claim(db, low)]).toEqual([false, true])
  const counts = sql(db, "select id, overtaken from landings where overtaken > 0").list()
  expect(counts).toEqual([{ id: low.id, overtaken: OVERTAKEN_MAX }])
  expect(claim(db, elsewhere)).toBe(true)
})

test("a landing that lost many races goes first; of several the oldest [17.3]", () => {
  const db = openDb(":memory:")
  const old = queue(db, ["/a:main"], { atMs: 1000 })
  const four = queue(db, ["/a:main"], { atMs: 2000, races: 4 })
  const nine = queue(db, ["/a:main"], { atMs: 4000, races: 9 })
  const five = queue(db, ["/a:main"], { atMs: 3000, races: 5 })
  const order = []
  for (let left = [four, nine, old, five]; left.length > 0; ) {
    const claimed = left.filter((landing) => claim(db, landing))
    expect(claimed).toHaveLength(1)
    order.push(claimed[0]!.id)
    recordLanding(db, findLanding(db, claimed[0]!.id)!, { event: "cancelled" }, 3000)
    left = left.filter((landing) => landing !== claimed[0])
  }
  expect(order).toEqual([five.id, nine.id, old.id, four.id])
})

test("a more urgent landing goes before earlier ones, but not before one that lost many races", () => {
  const db = openDb(":memory:")
  const early = queue(db, ["/a:main"], { atMs: 1000 })
  const racer = queue(db, ["/a:main"], { atMs: 3000, races: 5 })
  const urgent = queue(db, ["/a:main"], { atMs: 2000, priority: 2 })
  const late = queue(db, ["/a:main"], { atMs: 500, priority: -1 })
  const order = []
  for (let left = [late, urgent, early, racer]; left.length > 0; ) {
    const [claimed] = left.filter((landing) => claim(db, landing))
    order.push(claimed!.id)
    recordLanding(db, findLanding(db, claimed!.id)!, { event: "cancelled" }, 3000)
    left = left.filter((landing) => landing !== claimed)
  }
  expect(order).toEqual([racer.id, urgent.id, early.id, late.id])
})

test.each(["complete", "cancelled"] as const)(
  "a landing after a task waits until that is %s, and blocks no other",
  (end) => {
    const db = openDb(":memory:")
    const before = addSampleTask(db)
    const held = queue(db, ["/a:main"], { atMs: 1000, after: [before.id] })
    const free = queue(db, ["/a:main"], { atMs: 2000 })
    expect(findLandingAhead(db, free.id)).toBeUndefined()
    for (const state of Object.keys(TASK) as TaskState[]) {
      if (state === "complete" || state === "cancelled") continue
      forceState(db, before.id, state)
      expect(claim(db, held), state).toBe(false)
    }
    expect(claim(db, free)).toBe(true)
    recordLanding(db, findLanding(db, free.id)!, { event: "failed" }, 3000)
    forceState(db, before.id, end)
    expect(claim(db, held)).toBe(true)
  },
)

test("a deleted task blocks no other", () => {
  const db = openDb(":memory:")
  const before = addSampleTask(db)
  const held = queue(db, ["/a:main"], { after: [before.id] })
  sql(db, "delete from tasks where id = :id").run({ id: before.id })
  expect(claim(db, held)).toBe(true)
})

test("the database itself refuses a task that lands after a later one, so there is no cycle", () => {
  const db = openDb(":memory:")
  const [first, second] = [addSampleTask(db), addSampleTask(db)]
  const add = "insert into dependencies (task, depends_on) values (:task, :dependsOn)"
  for (const dependsOn of [first.id, second.id])
    expect(() => sql(db, add).run({ task: first.id, dependsOn })).toThrow("CHECK")
})

test("queues are listed in the order in which they land, what waits for something else last", () => {
  const db = openDb(":memory:")
  const held = queue(db, ["/a:main"], { atMs: 1, after: [addSampleTask(db).id] })
  const flying = queue(db, ["/a:main"], { atMs: 2 })
  const [both, urgent] = [
    queue(db, ["/b:main", "/a:main"], { atMs: 3 }),
    queue(db, ["/a:main"], { atMs: 4, priority: 1 }),
  ]
  const waiting = addSampleLanding(db, ["/a:main"], 0)
  recordLanding(db, waiting, { event: "blocked" }, 5)
  const over = addSampleLanding(db, ["/a:main"], 0)
  recordLanding(db, over, { event: "cancelled" }, 5)
  sql(db, "update tasks set priority = 9 where id = :id").run({ id: flying.task })
  claim(db, flying)
  const listed = Map.groupBy(listQueues(db), ({ path, target }) => `${path} ${target}`)
  const ids = (name: string) => listed.get(name)?.map(({ id }) => id)
  expect(ids("/a refs/heads/main")).toEqual([flying, urgent, both, waiting, held].map((l) => l.id))
  expect(ids("/b refs/heads/main")).toEqual([both.id])
})

test("only a queued landing is claimed, with one event", () => {
  const db = openDb(":memory:")
  const fresh = addSampleLanding(db)
  expect(claim(db, fresh)).toBe(false)
  recordLanding(db, fresh, { event: "snapshotted" }, 1000)
  expect([claim(db, fresh), claim(db, fresh)]).toEqual([true, false])
  const told = listEvents(db, { after: 0, limit: 9 }).filter(
    ({ type }) => type === "landing.claimed",
  )
  const data = { landing: 1, from: "queued", to: "preparing", outcome: null, reason: null }
  expect(told).toMatchObject([{ task: fresh.task, data }])
})

test("two connections do not both claim", () => {
  using folder = new TestFolder()
  const path = join(folder.path, "coppice.db")
  const [one, other] = [openDb(path), openDb(path)]
  const first = queue(one, ["/a:main"])
  const second = queue(other, ["/a:main"])
  expect([claim(other, first), claim(one, first), claim(one, second)]).toEqual([true, false, false])
})

test("the database itself refuses two landings of a target in flight [2.2]", () => {
  const db = openDb(":memory:")
  addSampleLanding(db, ["/a:main"])
  addSampleLanding(db, ["/a:main"])
  expect(() => sql(db, "update landing_repos set in_flight = 1").run()).toThrow("UNIQUE")
})

type Entry = {
  readonly landing: Landing
  readonly targets: string[]
  /** Lower goes first. */
  readonly rank: number
  state: "queued" | "flying" | "done"
}

/** The rule, said the other way round: what must not be there for a landing to be claimed. */
function mayFly(entry: Entry, all: readonly Entry[]): boolean {
  return !all.some((other) => {
    const shares = other !== entry && other.targets.some((name) => entry.targets.includes(name))
    return (
      shares && (other.state === "flying" || (other.state === "queued" && other.rank < entry.rank))
    )
  })
}

const arrivals = fc.array(
  fc.record({
    targets: fc.uniqueArray(fc.constantFrom("/a:main", "/b:main", "/c:main"), { minLength: 1 }),
    atMs: fc.nat(3),
    races: fc.constantFrom(0, 4, 5, 9),
    priority: fc.constantFrom(-1, 0, 0, 7),
  }),
  { maxLength: 8 },
)

test("in every order, exactly the first of all its targets is claimed, and each gets its turn", () => {
  const check = (
    arrived: typeof arrivals extends fc.Arbitrary<infer A> ? A : never,
    dice: number[],
  ) => {
    const db = openDb(":memory:")
    const all = arrived.map((one): Entry => {
      const landing = queue(db, one.targets, one)
      const late = one.races < 5 ? 1e9 - one.priority * 1e6 : 0
      const rank = late + one.atMs * 1e3 + landing.id
      return { landing, targets: one.targets, rank, state: "queued" }
    })
    for (const _ of all) {
      for (const entry of all.filter(({ state }) => state === "queued")) {
        const claimed = claim(db, entry.landing)
        expect(claimed).toBe(mayFly(entry, all))
        if (claimed) entry.state = "flying"
      }
      const flying = all.filter(({ state }) => state === "flying")
      const done = flying[(dice.pop() ?? 0) % flying.length]! // one is first
      recordLanding(db, findLanding(db, done.landing.id)!, { event: "failed" }, 9)
      done.state = "done"
    }
    expect(all.every(({ state }) => state === "done")).toBe(true)
    db.close()
  }
  fc.assert(fc.property(arrivals, fc.array(fc.nat()), check), { numRuns: 150 })
})

test("a reverted landing waits for the reversal, and blocks no other", () => {
  const db = openDb(":memory:")
  const both = queue(db, ["/a:main", "/b:main"])
  const { id: task } = addSampleTask(db)
  const targets = [{ name: "r0", path: "/a", target: "refs/heads/main" as RefName }]
  const reversal = addLanding(db, { task, repos: targets, undoes: both.id }, 2000)
  const next = queue(db, ["/b:main"], { atMs: 3000 })
  expect(claim(db, both)).toBe(false)
  expect(findLandingAhead(db, both.id)?.id).toBe(reversal.id)
  expect(claim(db, next)).toBe(true)

  recordLanding(db, reversal, { event: "snapshotted" }, 4000)
  expect(claim(db, reversal)).toBe(true)
  for (const event of ["unchanged", "cleaned"] as const)
    recordLanding(db, findLanding(db, reversal.id)!, { event }, 4000)
  recordLanding(db, findLanding(db, next.id)!, { event: "failed" }, 4000)
  expect(claim(db, both)).toBe(true)
})

test("a target that has moved is free for others, and the rest of a decided landing goes first", () => {
  const db = openDb(":memory:")
  const both = queue(db, ["/a:main", "/b:main"], { atMs: 3000 })
  claim(db, both)
  for (const event of ["prepared", "synced", "passed"] as const)
    recordLanding(db, findLanding(db, both.id)!, { event }, 3000)
  const [a, b] = [queue(db, ["/a:main"]), queue(db, ["/b:main"])]
  recordDecided(db, both, 3000)
  recordPublished(db, both, "r0")
  recordLanding(db, findLanding(db, both.id)!, { event: "moved" }, 3000)
  expect(findLanding(db, both.id)).toMatchObject({
    decided: true,
    repos: [{ published: true }, {}],
  })
  expect([claim(db, a), claim(db, b)]).toEqual([true, false])
  recordLanding(db, findLanding(db, both.id)!, { event: "snapshotted" }, 3000)
  expect([claim(db, b), claim(db, both), claim(db, b)]).toEqual([false, true, false])
})
