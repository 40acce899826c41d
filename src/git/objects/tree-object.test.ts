import fc from "fast-check"
import { expect, test } from "vitest"
import type { Oid } from "../../core/ids.ts"
import { spliceTree } from "./splice-tree.ts"
import { listDifferences } from "./tree-differences.ts"
import { findEntry, parseTree, type Tree } from "./tree-object.ts"

const SHA1 = "0".repeat(40) as Oid
const ID = "\x01".repeat(20)
const entry = (mode: string, name: string, id = ID) => `${mode} ${name}\0${id}`
const file = (name: string) => entry("100644", name)
const folder = (name: string) => entry("40000", name)

const ODD = [
  ["another order", file("b") + file("a")],
  ["a folder out of its order", folder("a") + file("a.b")],
  ["one name twice", file("a") + file("a")],
  ["a file and a folder of one name", file("a") + file("a.b") + folder("a")],
  ["no name", file("")],
  ["a path for a name", folder("a") + file("a/b")],
  ["the id of nothing", entry("100644", "a", "\0".repeat(20))],
  ["a mode of old", entry("100664", "a")],
  ["a mode with a zero in front", entry("040000", "a")],
  ["an id that is cut off", file("a").slice(0, -1)],
  ["no end of the name", "100644 a"],
] as const
const TWO = ["b", "a.b"].map((name) => file("a") + file(name))
const NEAR = ["", file("A") + file("z"), folder("a"), file("a"), ...TWO]

test.each(ODD)("leaves to git a tree with %s", (_, raw) => {
  expect(parseTree(raw, SHA1)).toBe(undefined)
  for (const near of NEAR) expect(listDifferences(parsed(near), raw)).toBe(undefined)
})

/** Ids that look like the name of another entry. */
const IDS = [ID, `100644 b\0${ID.slice(9)}`, ` a\0${ID.slice(3)}`, `${ID.slice(6)} a.b\0\x02`]
const NAMES = ["a", "a-", "a.b", "a0", "a\x01", "b", "\xff", "zz"]
const entries = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.tuple(fc.constantFrom("100644", "100755", "40000", "120000"), fc.constantFrom(...IDS)),
)
type Entries = typeof entries extends fc.Arbitrary<infer Value> ? Value : never

function format(files: Entries): string {
  const place = ([name, [mode]]: [string, [string, string]]) =>
    mode === "40000" ? `${name}/` : name
  const sorted = Object.entries(files).sort((a, b) => (place(a) < place(b) ? -1 : 1))
  return sorted.map(([name, [mode, id]]) => entry(mode, name, id)).join("")
}

function parsed(raw: string): Tree {
  const tree = parseTree(raw, SHA1)
  if (!tree) throw new Error("a tree that git would write")
  return tree
}

test("trees are told apart, and put together byte by byte, in git's order", () => {
  const sides = fc.tuple(entries, entries, fc.boolean())
  fc.assert(
    fc.property(sides, ([a, more, isNear]) => {
      const b = isNear ? { ...a, ...more } : more
      const [from, to] = [format(a), format(b)]
      const base = parsed(from)
      const differences = listDifferences(base, to)
      const texts = new Map(
        Object.entries(b).map(([name, [mode, id]]) => [name, entry(mode, name, id)]),
      )
      const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
      const differing = names.filter((name) => findEntry(base, name)?.text !== texts.get(name))
      expect([...(differences?.keys() ?? [])].sort()).toEqual(differing.sort())
      for (const name of NAMES) {
        const mode = a[name]?.[0]
        const facts = mode && { name, isTree: mode === "40000", isFile: mode.startsWith("100") }
        expect(findEntry(base, name)).toEqual(facts && expect.objectContaining(facts))
      }
      const changed = [...(differences ?? [])].map(([name, { after }]) => [name, after] as const)
      expect(spliceTree(base, changed)).toBe(to)
    }),
    { seed: 1, numRuns: 300 },
  )
})
