import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { OPEN_INTAKE } from "../../../test/support/intake.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { forceState } from "../../../test/support/store.ts"
import { parseConfig } from "../../config/parse.ts"
import { listEvents } from "../../kernel/store/events.ts"
import { type Db, openDb } from "../../kernel/store/open.ts"
import { listTasks } from "../../kernel/tasks/rows/find.ts"
import { commandRuntime } from "../command/runtime.ts"
import type { Source } from "../sources/source.ts"
import { SourceLoop } from "../sources/source-loop.ts"
import { fireSchedule, type Scheduled, triggerSchedule } from "./fire.ts"
import { alignSchedules, switchSchedule } from "./rows/change.ts"
import { findSchedule, isScheduleOn } from "./rows/find.ts"

const MINUTE = 60_000
const START = Date.parse("2026-05-29T09:00Z")

class Scene implements Disposable {
  readonly repo = new TestRepo()
  readonly path = join(this.repo.folder, "coppice.db")
  readonly schedule: Scheduled
  readonly #config
  db = openDb(this.path)
  nowMs = START

  constructor(fields = "interval: 5m") {
    const parsed = parseConfig(
      `version: 1
agents: { sh: { runtime: command, command: "true", schedules: { tidy: { ${fields}, prompt: Tidy up } } } }`,
      {},
      "app",
    )
    if (parsed.kind !== "ok") throw new Error(JSON.stringify(parsed))
    this.#config = {
      ...parsed.config,
      repos: parsed.config.repos.map((one) => ({ ...one, path: this.repo.path })),
    }
    const agent = this.#config.agents[0]!
    this.schedule = { ...agent.schedules[0]!, agent: agent.name }
    alignSchedules(this.db, [this.schedule], this.nowMs)
  }

  fleet(db: Db = this.db): Parameters<typeof fireSchedule>[0] {
    const config = () => this.#config
    return {
      db,
      home: this.repo.path,
      stateDir: this.repo.folder,
      name: "home",
      poll: async () => [],
      world: { nowMs: () => this.nowMs, dice: () => 0, point: () => {} },
      ending: new AbortController().signal,
      config,
      checkedConfig: config,
      findAttached: () => undefined,
      ...OPEN_INTAKE,
      runtime: () => commandRuntime({ command: "true", path: process.env["PATH"] }),
    }
  }

  /** A poll takes one of these. */
  loop(ready: string[]): SourceLoop {
    const gone = async () => {}
    const source = {
      list: async () => ({ ready: ready.splice(0, 1), isWhole: true, problems: [] }),
      claim: async ({ item: id }: { item: string }) => {
        const item = { id, title: id, text: "", address: id, author: null }
        return { kind: "claimed", item }
      },
      read: gone,
    } as unknown as Source
    const onError = (error: unknown) => {
      throw error
    }
    return new SourceLoop({ fleet: this.fleet(), createSource: () => source, onError })
  }

  async fireAfter(minutes: number): Promise<void> {
    this.nowMs += minutes * MINUTE
    await fireSchedule(this.fleet(), this.schedule)
  }

  get tasks() {
    return listTasks(this.db)
  }

  /** Minutes until the next start. */
  get due() {
    const { dueAtMs } = findSchedule(this.db, this.schedule) ?? {}
    return dueAtMs == null ? dueAtMs : (dueAtMs - this.nowMs) / MINUTE
  }

  [Symbol.dispose]() {
    this.db.close()
    this.repo[Symbol.dispose]()
  }
}

/** Calls `before` before every statement of `db`, also those that begin and end a transaction. */
function beforeEachStatement(db: Db, before: () => void): Disposable {
  const statement = Object.getPrototypeOf(db.prepare("select 1"))
  const { run, get, all } = statement
  for (const [name, method] of Object.entries({ run, get, all }))
    statement[name] = function (...args: unknown[]) {
      if (this.database === db) before()
      return method.apply(this, args)
    }
  return { [Symbol.dispose]: () => void Object.assign(statement, { run, get, all }) }
}

test("a daemon that dies before any statement of a tick leaves a tick that fires exactly once [40.1]", async () => {
  using scene = new Scene()
  const { db, path, repo } = scene
  const copies: string[] = []
  const takeCopy = () => {
    const folder = join(repo.folder, `crash-${copies.length}`)
    mkdirSync(folder)
    const copy = join(folder, "coppice.db")
    for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end)
    copies.push(copy)
  }
  {
    using _watched = beforeEachStatement(db, takeCopy)
    await scene.fireAfter(5)
  }
  takeCopy()
  expect(scene.tasks).toMatchObject([{ schedule: "tidy", prompt: "Tidy up" }])
  expect(copies.length).toBeGreaterThan(8)
  const counts = new Set<number>()
  scene.nowMs += MINUTE
  for (const copy of copies) {
    const left = openDb(copy)
    counts.add(listTasks(left).length)
    await fireSchedule(scene.fleet(left), scene.schedule)
    expect([copy, listTasks(left).length]).toEqual([copy, 1])
    expect(findSchedule(left, scene.schedule)?.dueAtMs).toBe(START + 10 * MINUTE)
    left.close()
  }
  expect(counts, "some died before the commit, and some behind it").toEqual(new Set([0, 1]))
}, 60_000)

test("C10: a tick that was missed three times fires once [40.3]", async () => {
  using scene = new Scene("interval: 5m, overlap: true")
  await scene.fireAfter(17)
  await scene.fireAfter(0)
  expect(scene.tasks).toHaveLength(1)
  expect(scene.due).toBe(3)
})

test("no task is created before its tick, nor while an earlier one has not ended [40.5]", async () => {
  using scene = new Scene()
  await scene.fireAfter(4)
  expect(scene.tasks).toHaveLength(0)
  await scene.fireAfter(1)
  for (const state of ["working", "stuck", "in_approval", "paused"] as const) {
    forceState(scene.db, scene.tasks[0]!.id, state)
    await scene.fireAfter(5)
    expect([state, scene.tasks.length, scene.due]).toEqual([state, 1, 5])
  }
  const skipped = listEvents(scene.db, { after: 0, limit: 100 }).filter(
    ({ type }) => type === "schedule.skipped",
  )
  expect(skipped.map(({ data }) => data["unfinished"])).toEqual(Array(4).fill("1"))
  forceState(scene.db, scene.tasks[0]!.id, "complete")
  await scene.fireAfter(5)
  expect(scene.tasks).toHaveLength(2)
})

test("with `overlap` every tick creates a task [40.5]", async () => {
  using scene = new Scene("interval: 5m, overlap: true, priority: 3, title: Nightly")
  await scene.fireAfter(5)
  await scene.fireAfter(5)
  expect(scene.tasks).toMatchObject(Array(2).fill({ title: "Nightly", priority: 3, agent: "sh" }))
})

test("a tick that is late waits for the running hours [40.4]", async () => {
  using scene = new Scene('interval: 5m, timezone: UTC, hours: "09:00-10:00"')
  await scene.fireAfter(61)
  expect([scene.tasks.length, scene.due]).toEqual([0, 23 * 60 - 1])
  await scene.fireAfter(23 * 60 - 1)
  expect(scene.tasks).toHaveLength(1)
})

test("two daemons, or a trigger in between, take one tick once [40.1]", async () => {
  using scene = new Scene()
  scene.nowMs += 5 * MINUTE
  await Promise.all([1, 2, 3].map(() => fireSchedule(scene.fleet(), scene.schedule)))
  expect(scene.tasks).toHaveLength(1)
})

test("a person switches a schedule on and off; an edit of coppice.yml does not undo that [40.6]", async () => {
  using scene = new Scene()
  const { db, schedule } = scene
  switchSchedule(db, schedule, false, scene.nowMs)
  expect([scene.due, isScheduleOn(db)]).toEqual([null, false])
  await scene.fireAfter(20)
  expect(scene.tasks).toHaveLength(0)
  const edited = { ...schedule, timing: { ...schedule.timing, intervalMs: 7 * MINUTE } }
  alignSchedules(db, [edited], scene.nowMs)
  expect(scene.due).toBe(null)
  switchSchedule(db, edited, true, scene.nowMs)
  expect(scene.due).toBe(7)
  alignSchedules(db, [{ ...edited, enabled: false }], scene.nowMs)
  expect(scene.due).toBe(7)
  alignSchedules(db, [], scene.nowMs)
  expect(findSchedule(db, schedule)).toBeUndefined()
})

test("an unchanged schedule keeps its tick across a restart; another timing starts afresh [40.3]", () => {
  using scene = new Scene()
  const { db, schedule } = scene
  scene.nowMs += 9 * MINUTE
  expect(alignSchedules(db, [schedule], scene.nowMs)).toBe(false)
  expect(scene.due).toBe(-4)
  const timing = { ...schedule.timing, intervalMs: undefined, cron: "0 12 * * *", timezone: "UTC" }
  alignSchedules(db, [{ ...schedule, timing }], scene.nowMs)
  expect(scene.due).toBe(171)
})

test("a trigger creates the task at once, and once for each request; the tick stays [40.6]", async () => {
  using scene = new Scene("interval: 5m, enabled: false")
  await triggerSchedule(scene.fleet(), scene.schedule, "key")
  await triggerSchedule(scene.fleet(), scene.schedule, "key")
  expect(scene.tasks).toMatchObject([{ schedule: "tidy" }])
  expect(scene.due).toBe(null)
})

test("a trigger of a source takes one item for each request, also for two at a time [40.6, 40.10]", async () => {
  using scene = new Scene(
    "interval: 5m, enabled: false, work_source: { type: files, folder: items }",
  )
  const items = ["one", "two", "three"]
  const loop = scene.loop(items)
  const fleet = { ...scene.fleet(), poll: loop.poll.bind(loop) }
  const trigger = async (key: string) =>
    (await triggerSchedule(fleet, scene.schedule, key)).task.workItem
  const item = await trigger("a")
  expect([await trigger("a"), scene.tasks.length]).toEqual([item, 1])
  const [first, again] = await Promise.all([trigger("b"), trigger("b")])
  expect([again, scene.tasks.length]).toEqual([first, 2])
  expect(await trigger("a")).toBe(item)
  await trigger("c")
  await expect(trigger("d")).rejects.toMatchObject({ code: "schedule.nothing_ready" })
  await loop.stop()
})

test.each(["interval: 5m", 'cron: "*/5 * * * *"', 'cron: "0 9 * * *", hours: "10:00-12:00"'])(
  "a clock that is set back silences no schedule: %s",
  (fields) => {
    using scene = new Scene(fields)
    const { due } = scene
    scene.nowMs += 365 * 24 * 60 * MINUTE
    alignSchedules(scene.db, [{ ...scene.schedule, enabled: false }], scene.nowMs)
    alignSchedules(scene.db, [scene.schedule], scene.nowMs)
    expect(scene.due).toBe(due)
    scene.nowMs = START
    expect(alignSchedules(scene.db, [scene.schedule], scene.nowMs)).toBe(true)
    expect(scene.due).toBe(due)
    expect(alignSchedules(scene.db, [scene.schedule], scene.nowMs + 2 * MINUTE)).toBe(false)
  },
)
