/** The tests that every source must pass; each implementation's test file runs them. */
import { describe, expect, test } from "vitest"
import type { ItemResult } from "./rules/source-item.ts"
import type { Source } from "./source.ts"

/** A source, and the hand of a person there. */
export type Bench = AsyncDisposable & {
  readonly source: Source
  /** The same for another fleet; undefined: no other fleet can reach it. */
  readonly rival: Source | undefined
  /** @returns the id of a new, ready item. */
  add(item: { readonly title: string; readonly text: string }): string
  /** A person gives it another text. */
  edit(id: string, text: string): void
  /** A person says that it is not ready any more. */
  withdraw(id: string): void
  /** A person says once more that it is ready. */
  offer(id: string): void
}

const CLAIM = "1f0c9c52-0001-4000-8000-000000000000"
const OTHER = "1f0c9c52-0002-4000-8000-000000000000"
const DONE: ItemResult = { kind: "done", text: "Coppice has landed this." }
const RELEASED: ItemResult = { kind: "released", text: "Coppice gave this up." }

const never = new AbortController().signal

export function sourceContract(name: string, create: () => Promise<Bench>): void {
  describe(`every source: ${name}`, () => {
    test("lists ready items in order, and no others", async () => {
      await using bench = await create()
      const first = bench.add({ title: "One", text: "" })
      const second = bench.add({ title: "Two", text: "" })
      const third = bench.add({ title: "Three", text: "" })
      bench.withdraw(second)
      const listed = await bench.source.list(never)
      expect(listed).toEqual({ ready: [first, third], isWhole: true, problems: [] })
      expect(await bench.source.list(never), "unchanged").toEqual(listed)
      bench.offer(second)
      expect((await bench.source.list(never)).ready).toContain(second)
    })

    test("a claim brings the item as it is now, and is safe to repeat", async () => {
      await using bench = await create()
      const id = bench.add({ title: "Count words", text: "before" })
      bench.edit(id, "Two spaces are one.")
      const claim = () => bench.source.claim({ item: id, nonce: CLAIM }, never)
      const claimed = await claim()
      expect(claimed).toMatchObject({
        kind: "claimed",
        item: { id, title: "Count words", text: expect.stringContaining("Two spaces are one.") },
      })
      expect(await claim(), "after a crash").toEqual(claimed)
    })

    test("an item that is gone or not ready cannot be claimed", async () => {
      await using bench = await create()
      const id = bench.add({ title: "One", text: "" })
      bench.withdraw(id)
      for (const item of [id, "99999", "../x", "/abs", "a\\b", "-x", ""])
        expect(await bench.source.claim({ item, nonce: CLAIM }, never)).toEqual({ kind: "gone" })
    })

    test("an item is read again with its present text", async () => {
      await using bench = await create()
      const id = bench.add({ title: "One", text: "before" })
      await bench.source.claim({ item: id, nonce: CLAIM }, never)
      bench.edit(id, "after")
      expect((await bench.source.read(id, never))?.text).toContain("after")
      expect(await bench.source.read("../x", never)).toBeUndefined()
    })

    test.each([DONE, RELEASED])("an end ($kind) is safe to repeat", async (result) => {
      await using bench = await create()
      const id = bench.add({ title: "One", text: "" })
      const claim = { item: id, nonce: CLAIM }
      await bench.source.claim(claim, never)
      const { staysListed } = await bench.source.end(claim, result, never)
      expect(await bench.source.end(claim, result, never)).toEqual({ staysListed })
      expect((await bench.source.list(never)).ready).toEqual(staysListed ? [id] : [])
    })

    test("an item that a person offers again after its end can be claimed again", async () => {
      await using bench = await create()
      const id = bench.add({ title: "One", text: "" })
      const claim = { item: id, nonce: CLAIM }
      await bench.source.claim(claim, never)
      await bench.source.end(claim, DONE, never)
      bench.withdraw(id)
      expect((await bench.source.list(never)).ready).toEqual([])
      bench.offer(id)
      expect((await bench.source.list(never)).ready).toEqual([id])
      const again = await bench.source.claim({ item: id, nonce: OTHER }, never)
      expect(again).toMatchObject({ kind: "claimed" })
    })

    test("two fleets never have the same item", async () => {
      await using bench = await create()
      const { source, rival } = bench
      if (!rival) return
      const id = bench.add({ title: "One", text: "" })
      const [ours, theirs] = [
        { item: id, nonce: CLAIM },
        { item: id, nonce: OTHER },
      ]
      const both = await Promise.all([source.claim(ours, never), rival.claim(theirs, never)])
      const kinds = both.map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === "claimed")).toHaveLength(1)
      expect(kinds.filter((kind) => kind === "taken" || kind === "gone")).toHaveLength(1)
      const [winner, claim, loser, late] =
        kinds[0] === "claimed" ? [source, ours, rival, theirs] : [rival, theirs, source, ours]
      expect(await winner.claim(claim, never), "repeated").toMatchObject({ kind: "claimed" })
      expect(await loser.claim(late, never)).not.toMatchObject({ kind: "claimed" })
      await winner.end(claim, RELEASED, never)
      expect(await loser.claim(late, never), "released").toMatchObject({ kind: "claimed" })
    })
  })
}
