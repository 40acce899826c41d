import { expect, test } from "vitest"
import type { Oid } from "../core/ids.ts"
import { formatTree, parseTree, toGitOrder } from "./tree-object.ts"

const SHA1 = "0".repeat(40) as Oid
const ID = "\x01".repeat(20)
const entry = (mode: string, name: string, id = ID) => `${mode} ${name}\0${id}`
const file = (name: string) => entry("100644", name)
const folder = (name: string) => entry("40000", name)

test("takes a tree apart and puts it together byte by byte, in git's order", () => {
  const raw = [folder("a-"), file("a.b"), folder("a"), file("a0"), file("\xff")].join("")
  const tree = parseTree(raw, SHA1)
  expect([...(tree?.keys() ?? [])]).toEqual(["a-", "a.b", "a", "a0", "\xff"])
  const entries = [...(tree?.values() ?? [])]
  expect(formatTree(toGitOrder(entries.toReversed()))).toBe(raw)
})

test.each([
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
])("leaves to git a tree with %s", (_, raw) => {
  expect(parseTree(raw, SHA1)).toBe(undefined)
})
