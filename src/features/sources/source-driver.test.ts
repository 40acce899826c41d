/** A source is polled, claimed and reported at the right times, whatever fails. */
import { expect, test } from "vitest"
import { addSampleTask } from "../../../test/support/store.ts"
import type { SourceConfig } from "../../config/config.ts"
import { findEventCursor } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { SourceError } from "./errors.ts"
import { listSourceItems, recordSourceItem } from "./rows.ts"
import type { ItemResult } from "./rules/source-item.ts"
import type { Claimed, Item, Source } from "./source.ts"
import { SourceDriver } from "./source-driver.ts"

const never = new AbortController().signal
const DONE: ItemResult = { kind: "done", text: "Done." }
const CONFIG = { name: "gh", type: "github", intervalMs: 60_000, openMax: 2 } as SourceConfig

const itemOf = (id: string): Item => ({ id, title: id, text: "", address: id, author: null })

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** A tracker in memory, a real store, and a clock that the test moves. */
class Bench {
  readonly db = openDb(":memory:")
  nowMs = 1_000_000
  ready: string[] = []
  /** The calls of the source, in order. */
  readonly calls: string[] = []
  claimed: (id: string) => Claimed = (id) => ({ kind: "claimed", item: itemOf(id) })
  failure: Error | undefined
  problem: string | undefined
  mustRepeat = false
  isReady = true
  readonly #nonces = [..."abcdefghijkl"]
  driver = this.create()

  create(): SourceDriver {
    const source: Mutable<Source> = {
      list: async () => {
        this.#call("list")
        return { ready: this.ready, isWhole: true, problems: [] }
      },
      claim: async ({ item, nonce }) => {
        this.#call(`claim ${item} ${nonce}`)
        return this.claimed(item)
      },
      read: async (id) => itemOf(id),
      end: async ({ item }, { kind }) => {
        this.#call(`end ${item} ${kind}`)
        return {
          staysListed: kind === "released",
          problem: this.problem,
          mustRepeat: this.mustRepeat,
        }
      },
    }
    source.note = async ({ item }, { key }) => {
      this.#call(`note ${item} ${key}`)
      return this.problem
    }
    return new SourceDriver({
      db: this.db,
      world: { nowMs: () => this.nowMs, dice: () => 0, point: () => {} },
      config: CONFIG,
      source,
      mintNonce: () => this.#nonces.shift() ?? "z",
      requireReady: () => {
        if (!this.isReady) throw new SourceError("source.unreadable", "Not now.")
      },
      createTask: async ({ nonce }) => {
        const { id } = addSampleTask(this.db)
        recordSourceItem(this.db, nonce, { task: id }, this.nowMs)
      },
      onBug: (error) => {
        throw error
      },
    })
  }

  #call(what: string): void {
    this.calls.push(what)
    if (this.failure) throw this.failure
  }

  /** Time passes, and what is due is done. @returns what happened at the source. */
  async after(ms: number): Promise<string[]> {
    this.nowMs += ms
    this.calls.length = 0
    await this.driver.step(never)
    return [...this.calls]
  }

  /** The task of an item ends. */
  finish(item: string, result = DONE): void {
    const row = listSourceItems(this.db).find((one) => one.item === item)
    recordSourceItem(this.db, row?.nonce ?? "", { result }, this.nowMs)
  }

  states(): string[] {
    return listSourceItems(this.db).map(({ item, state }) => `${item} ${state}`)
  }
}

test("a poll takes as many items as may be open, in order, and waits for its interval", async () => {
  const bench = new Bench()
  bench.ready = ["1", "2", "3"]
  expect(await bench.after(0)).toEqual(["list", "claim 1 a", "claim 2 b"])
  expect(await bench.after(59_000)).toEqual([])
  expect(await bench.after(1_000)).toEqual(["list"])
  bench.finish("1")
  bench.ready = ["3"]
  expect(await bench.after(1_000), "the report does not wait").toEqual(["end 1 done"])
  expect(await bench.after(60_000)).toEqual(["list", "claim 3 c"])
  expect(bench.states()).toEqual(["2 working", "3 working"])
})

test("a claim that was cut off is repeated by the next daemon under the same nonce [39.7]", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  bench.claimed = () => {
    throw new SourceError("source.unreachable", "Away.")
  }
  expect(await bench.after(0)).toEqual(["list", "claim 1 a"])
  expect(bench.states()).toEqual(["1 claiming"])
  bench.claimed = (id) => ({ kind: "claimed", item: itemOf(id) })
  bench.driver = bench.create()
  expect(await bench.after(0)).toEqual(["claim 1 a", "list"])
  expect(bench.states()).toEqual(["1 working"])
})

test("an error stops the polls of the source for a while: a growing pause, or as long as the source says [39.9]", async () => {
  const bench = new Bench()
  bench.failure = new SourceError("source.unreachable", "Away.")
  expect(await bench.after(0)).toEqual(["list"])
  expect(bench.driver.describe()).toMatchObject({ error: "Away.", polledAt: null })
  expect(await bench.after(2_000)).toEqual([])
  expect(await bench.after(500), "half of 5 s, by the dice").toEqual(["list"])
  expect(await bench.after(2_500)).toEqual([])
  expect(await bench.after(2_500), "twice as long").toEqual(["list"])
  bench.failure = new SourceError("source.limited", "Slowly.", bench.nowMs + 900_000)
  await bench.after(10_000)
  expect(await bench.after(889_000)).toEqual([])
  bench.failure = undefined
  expect(await bench.after(1_000)).toEqual(["list"])
  expect(bench.driver.describe()).toMatchObject({ error: null, retryAt: null })
})

test("an item that is refused or taken blocks no other, and rests", async () => {
  const bench = new Bench()
  bench.ready = ["1", "2", "3"]
  bench.claimed = (id) =>
    id === "1"
      ? { kind: "refused", why: "It is locked." }
      : id === "2"
        ? { kind: "taken", why: "Another fleet has it.", isTie: false }
        : { kind: "claimed", item: itemOf(id) }
  expect(await bench.after(0)).toEqual(["list", "claim 1 a", "claim 2 b", "claim 3 c"])
  expect(bench.driver.describe().problems).toEqual([
    "gh 1: It is locked.",
    "gh 2: Another fleet has it.",
  ])
  expect(await bench.after(60_000)).toEqual(["list"])
  expect(await bench.after(600_000)).toEqual(["list", "claim 1 d", "claim 2 e"])
})

test("C17: a released item is not taken again before it has left the list", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  await bench.after(0)
  bench.finish("1", { kind: "released", text: "Given up." })
  expect(await bench.after(1_000)).toEqual(["end 1 released"])
  expect(await bench.after(600_000)).toEqual(["list"])
  bench.ready = []
  expect(await bench.after(60_000)).toEqual(["list"])
  expect(bench.states()).toEqual([])
  bench.ready = ["1"]
  expect(await bench.after(60_000)).toEqual(["list", "claim 1 b"])
})

test("no item is claimed while no task can be made", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  bench.isReady = false
  expect(await bench.after(0)).toEqual(["list"])
  expect(bench.states()).toEqual([])
  expect(bench.driver.describe().error).toBe("Not now.")
})

test("a clock that is set back prolongs no rest of an item", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  bench.claimed = () => ({ kind: "refused", why: "It is locked." })
  expect(await bench.after(0)).toEqual(["list", "claim 1 a"])
  expect(await bench.after(-86_400_000)).toEqual(["list", "claim 1 b"])
})

test("a clock that is set back prolongs neither the interval nor a pause", async () => {
  const bench = new Bench()
  await bench.after(0)
  expect(await bench.after(-900_000)).toEqual(["list"])
  bench.failure = new SourceError("source.unreachable", "Away.")
  await bench.after(60_000)
  expect(await bench.after(-86_400_000)).toEqual(["list"])
})

test("a source that names a time after more than an hour is not asked each second [39.9]", async () => {
  const bench = new Bench()
  bench.failure = new SourceError("source.limited", "Slowly.", bench.nowMs + 61 * 60_000)
  expect(await bench.after(0)).toEqual(["list"])
  expect(await bench.after(1_000)).toEqual([])
  expect(await bench.after(59 * 60_000)).toEqual([])
  expect(await bench.after(59_000)).toEqual(["list"])
})

test("a result that the source shows only in part is named among the problems", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  bench.problem = "Its labels are refused."
  await bench.after(0)
  bench.finish("1")
  await bench.after(1_000)
  expect(bench.states()).toEqual([])
  expect(bench.driver.describe().problems).toEqual(["gh 1: Its labels are refused."])
})

test("a result that the source refuses as a whole is reported after a rest, and holds up no other", async () => {
  const bench = new Bench()
  bench.ready = ["1", "2"]
  await bench.after(0)
  bench.problem = "Not yours."
  bench.mustRepeat = true
  bench.finish("1")
  expect(await bench.after(1_000)).toEqual(["end 1 done"])
  expect(bench.driver.describe()).toMatchObject({ error: null, problems: ["gh 1: Not yours."] })
  bench.mustRepeat = false
  bench.ready = []
  bench.finish("2")
  expect(await bench.after(60_000)).toEqual(["end 2 done", "list"])
  expect(bench.states()).toEqual(["1 reporting"])
  expect(await bench.after(600_000)).toEqual(["end 1 done", "list"])
  expect(bench.states()).toEqual([])
})

test("two fleets that gave way to each other try again soon", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  bench.claimed = () => ({ kind: "taken", why: "Another fleet has it.", isTie: true })
  await bench.after(0)
  expect(await bench.after(60_000)).toEqual(["list", "claim 1 b"])
})

test("each stop of a task gets one comment [39.18]", async () => {
  const bench = new Bench()
  bench.ready = ["1"]
  await bench.after(0)
  const { task: id } = listSourceItems(bench.db)[0]!
  const change = (event: "started" | "gotStuck" | "restarted:working") => {
    recordTask(bench.db, findTask(bench.db, id)!, { event }, bench.nowMs)
    return findEventCursor(bench.db, undefined, 1) + 1
  }
  change("started")
  expect(await bench.after(1_000)).toEqual([])
  const first = change("gotStuck")
  expect(await bench.after(1_000)).toEqual([`note 1 ${first}`])
  bench.driver = bench.create()
  expect(await bench.after(1_000), "the next daemon").toEqual(["list"])
  change("restarted:working")
  expect(await bench.after(1_000)).toEqual([])
  const second = change("gotStuck")
  bench.problem = "It may not write."
  expect(await bench.after(1_000)).toEqual([`note 1 ${second}`])
  expect(bench.driver.describe().problems).toEqual(["gh 1: It may not write."])
  expect(await bench.after(1_000)).toEqual([])
})
