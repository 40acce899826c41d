/**
 * Tree objects as text, one char per raw byte: neither names nor ids are decoded. Pure.
 *
 * Folders of thousands of entries are the usual reason why a landing takes longer in a large
 * repository. So they are cut and joined where they differ (tree-differences.ts, splice-tree.ts), and
 * nothing is made of each entry.
 */
import type { Oid } from "../../core/ids.ts"
import { endOf, namedAt, readEntry, type TreeEntry } from "./tree-entry.ts"

/** One that git would write: see {@link parseTree}. */
export type Tree = {
  readonly raw: string
  /** Where each entry starts, and the end. */
  readonly starts: readonly number[]
  readonly idBytes: number
}

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

/** @param n from 0, and there is one. */
export const entryAt = ({ raw, starts, idBytes }: Tree, n: number): TreeEntry =>
  readEntry(raw, starts[n] ?? 0, starts[n + 1] ?? 0, idBytes)

/** Of the entry of this name, a file's or a folder's; below zero: there is none. */
export function indexOf(tree: Tree, name: string): number {
  const n = indexAt(tree, name)
  return n < 0 ? indexAt(tree, `${name}/`) : n
}

function indexAt(tree: Tree, place: string): number {
  const n = countBefore(tree, place)
  return n < tree.starts.length - 1 && placeAt(tree, n) === place ? n : -1
}

/** How many entries come before this place: halved again and again, since each of thousands is looked for. */
export function countBefore(tree: Tree, place: string): number {
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
