/**
 * Tree objects as text, one char per raw byte: neither names nor ids are decoded. Pure.
 *
 * Folders of thousands of entries are the usual reason why a landing takes longer in a large
 * repository. So they are cut and joined where they differ, and nothing is made of each entry.
 */
import type { Oid } from "../../core/ids.ts"

export type TreeEntry = {
  readonly name: string
  readonly isTree: boolean
  /** A file, executable or not: neither a link nor a submodule. */
  readonly isFile: boolean
  /** Of the object, as raw bytes. */
  readonly id: string
  /** The whole entry as it stands in the tree. */
  readonly text: string
}

/** One that git would write: see {@link parseTree}. */
export type Tree = {
  readonly raw: string
  /** Where each entry starts, and the end. */
  readonly starts: readonly number[]
  readonly idBytes: number
}

const TREE_MODE = "40000"
const NOTHING = "\0".repeat(32)
/** The modes that git writes. Old trees hold others, which git puts right when it merges. */
const MODES = ["100644", TREE_MODE, "100755", "120000", "160000"].map((mode) => `${mode} `)

/**
 * @returns undefined for a tree that git would not write (unusual modes, names that are none, another
 *   order, one name twice, an id of nothing): anybody can make one by hand.
 */
export function parseTree(raw: string, like: Oid): Tree | undefined {
  const idBytes = like.length / 2
  const starts = [0]
  let before = { place: "", name: "" }
  for (let at = 0; at < raw.length; ) {
    const end = endOf(raw, at, idBytes)
    if (end === undefined) return undefined
    const entry = namedAt(raw, at, end, idBytes)
    if (entry.place <= before.place) return undefined
    const isFileToo = entry.isTree && before.name.startsWith(entry.name)
    if (isFileToo && indexAt({ raw, starts, idBytes }, entry.name) >= 0) return undefined
    before = entry
    starts.push(end)
    at = end
  }
  return { raw, starts, idBytes }
}

export function findEntry(tree: Tree, name: string): TreeEntry | undefined {
  const n = indexOf(tree, name)
  return n < 0 ? undefined : entryAt(tree, n)
}

/** Entries of one name in two trees; undefined where there is none. */
export type EntryChange = { readonly before?: TreeEntry; readonly after?: TreeEntry }

/** By name, what differs. @returns undefined where `raw` is no tree that git would write. */
export function listDifferences(
  base: Tree,
  raw: string,
): ReadonlyMap<string, EntryChange> | undefined {
  if (raw === base.raw) return new Map()
  const { starts, idBytes } = base
  const first = lastUpTo(starts, countSame(base.raw, raw, "from the start"))
  const from = starts[first] ?? 0
  const same = Math.min(
    countSame(base.raw, raw, "from the end"),
    base.raw.length - from,
    raw.length - from,
  )
  const after: TreeEntry[] = []
  let place = first > 0 ? placeOf(entryAt(base, first - 1)) : ""
  let [at, next] = [from, indexOfEnd(base, raw.length - from, same)]
  while (next === undefined) {
    const end = endOf(raw, at, idBytes)
    if (end === undefined) return undefined
    const entry = readEntry(raw, at, end, idBytes)
    if (placeOf(entry) <= place) return undefined
    place = placeOf(entry)
    after.push(entry)
    at = end
    next = indexOfEnd(base, raw.length - at, same)
  }
  const follows = next < starts.length - 1 ? placeOf(entryAt(base, next)) : undefined
  if (follows !== undefined && follows <= place) return undefined
  const before = Array.from({ length: next - first }, (_, n) => entryAt(base, first + n))
  return compare(base, before, after)
}

/** @returns undefined where a name is there twice. */
function compare(base: Tree, before: readonly TreeEntry[], after: readonly TreeEntry[]) {
  const changes = new Map<string, EntryChange>(
    before.map((entry) => [entry.name, { before: entry }]),
  )
  const names = new Set<string>()
  for (const entry of after) {
    const old = changes.get(entry.name)?.before
    if (names.has(entry.name) || (!old && findEntry(base, entry.name))) return undefined
    names.add(entry.name)
    if (old?.text === entry.text) changes.delete(entry.name)
    else changes.set(entry.name, old ? { before: old, after: entry } : { after: entry })
  }
  return changes
}

/** The tree's text with these entries in their places; undefined: without one of that name. */
export function spliceTree(
  tree: Tree,
  changed: Iterable<readonly [string, TreeEntry | undefined]>,
): string {
  const edits = [...changed].flatMap(([name, entry]) => editsOf(tree, name, entry))
  edits.sort((a, b) => a.from - b.from || (a.place < b.place ? -1 : 1))
  const parts: string[] = []
  let at = 0
  for (const { from, to, text } of edits) {
    parts.push(tree.raw.slice(at, Math.max(at, from)), text)
    at = Math.max(at, to)
  }
  return [...parts, tree.raw.slice(at)].join("")
}

type Edit = {
  readonly from: number
  readonly to: number
  readonly place: string
  readonly text: string
}

/** A folder has another place than a file of its name. */
function editsOf(tree: Tree, name: string, entry: TreeEntry | undefined): Edit[] {
  const { starts } = tree
  const n = indexOf(tree, name)
  const old = n < 0 ? undefined : entryAt(tree, n)
  const edits: Edit[] = []
  const isReplaced = old !== undefined && old.isTree === entry?.isTree
  if (old) {
    const text = isReplaced ? entry.text : ""
    edits.push({ from: starts[n] ?? 0, to: starts[n + 1] ?? 0, place: placeOf(old), text })
  }
  if (entry && !isReplaced) {
    const from = starts[countBefore(tree, placeOf(entry))] ?? 0
    edits.push({ from, to: from, place: placeOf(entry), text: entry.text })
  }
  return edits
}

export function treeEntry(name: string, id: string): TreeEntry {
  return { name, isTree: true, isFile: false, id, text: `${TREE_MODE} ${name}\0${id}` }
}

/** By name, where a folder's name ends with a slash. */
const placeOf = ({ name, isTree }: Pick<TreeEntry, "name" | "isTree">): string =>
  isTree ? `${name}/` : name

/** Where the entry ends that starts at `at`; undefined where git would write none such. */
function endOf(raw: string, at: number, idBytes: number): number | undefined {
  const mode = MODES.find((one) => raw.startsWith(one, at))
  const end = mode === undefined ? -1 : raw.indexOf("\0", at)
  const next = end + 1 + idBytes
  if (mode === undefined || end < 0 || next > raw.length) return undefined
  const name = raw.slice(at + mode.length, end)
  if (name === "" || name.includes("/") || raw.startsWith(NOTHING.slice(0, idBytes), end + 1))
    return undefined
  return next
}

/** What stands in order. */
function namedAt(raw: string, at: number, end: number, idBytes: number) {
  const isTree = raw.startsWith(TREE_MODE, at)
  const name = raw.slice(at + (isTree ? 6 : 7), end - idBytes - 1)
  return { name, isTree, place: isTree ? `${name}/` : name }
}

function readEntry(raw: string, at: number, end: number, idBytes: number): TreeEntry {
  const { name, isTree } = namedAt(raw, at, end, idBytes)
  const isFile = raw.startsWith("100", at)
  return { name, isTree, isFile, id: raw.slice(end - idBytes, end), text: raw.slice(at, end) }
}

const entryAt = ({ raw, starts, idBytes }: Tree, n: number): TreeEntry =>
  readEntry(raw, starts[n] ?? 0, starts[n + 1] ?? 0, idBytes)

/** Of the entry of this name, a file's or a folder's; below zero: there is none. */
function indexOf(tree: Tree, name: string): number {
  const n = indexAt(tree, name)
  return n < 0 ? indexAt(tree, `${name}/`) : n
}

function indexAt(tree: Tree, place: string): number {
  const n = countBefore(tree, place)
  return n < tree.starts.length - 1 && placeAt(tree, n) === place ? n : -1
}

/** Of the entry that starts so many bytes before the end, where all that is behind it is the same. */
function indexOfEnd({ raw, starts }: Tree, bytes: number, same: number): number | undefined {
  if (bytes > same) return undefined
  const n = lastUpTo(starts, raw.length - bytes)
  return starts[n] === raw.length - bytes ? n : undefined
}

/** How many entries come before this place: halved again and again, since each of thousands is looked for. */
function countBefore(tree: Tree, place: string): number {
  let [low, high] = [0, tree.starts.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (placeAt(tree, middle) < place) low = middle + 1
    else high = middle
  }
  return low
}

const placeAt = ({ raw, starts, idBytes }: Tree, n: number): string =>
  namedAt(raw, starts[n] ?? 0, starts[n + 1] ?? 0, idBytes).place

/** The last of these numbers, which grow, that is not above `at`. */
function lastUpTo(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** How many bytes two texts have in common. */
function countSame(a: string, b: string, from: "from the start" | "from the end"): number {
  const part = (text: string, low: number, high: number) =>
    from === "from the start"
      ? text.slice(low, high)
      : text.slice(text.length - high, text.length - low)
  let [low, high] = [0, Math.min(a.length, b.length)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (part(a, low, middle) === part(b, low, middle)) low = middle
    else high = middle - 1
  }
  return low
}
