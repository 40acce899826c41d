/** Tree objects as text, one char per raw byte: neither names nor ids are decoded. Pure. */
import type { Oid } from "../core/ids.ts"

export type TreeEntry = {
  readonly name: string
  readonly isTree: boolean
  /** Of the object, as raw bytes. */
  readonly id: string
  /** The whole entry as it stands in the tree. */
  readonly text: string
}

/** By name, in git's order. */
export type Tree = ReadonlyMap<string, TreeEntry>

const TREE_MODE = "40000"
/** The modes that git writes. Old trees hold others, which git puts right when it merges. */
const MODES: ReadonlySet<string> = new Set([TREE_MODE, "100644", "100755", "120000", "160000"])

/**
 * @returns undefined for a tree that git would not write (unusual modes, names that are none, another
 *   order, one name twice, an id of nothing): anybody can make one by hand.
 */
export function parseTree(raw: string, like: Oid): Tree | undefined {
  const idBytes = like.length / 2
  const idOfNothing = "\0".repeat(idBytes)
  const entries = new Map<string, TreeEntry>()
  let count = 0
  let before = ""
  for (let at = 0; at < raw.length; count++) {
    const space = raw.indexOf(" ", at)
    const end = raw.indexOf("\0", space)
    const next = end + 1 + idBytes
    if (space < 0 || end < 0 || next > raw.length) return undefined
    const mode = raw.slice(at, space)
    if (!MODES.has(mode)) return undefined
    const name = raw.slice(space + 1, end)
    const entry = { name, isTree: mode === TREE_MODE, id: raw.slice(end + 1, next) }
    const place = placeOf(entry)
    if (place <= before || name === "" || name.includes("/") || entry.id === idOfNothing)
      return undefined
    before = place
    entries.set(name, { ...entry, text: raw.slice(at, next) })
    at = next
  }
  return entries.size === count ? entries : undefined
}

export function treeEntry(name: string, id: string): TreeEntry {
  return { name, isTree: true, id, text: `${TREE_MODE} ${name}\0${id}` }
}

/** @param entries in git's order: see {@link toGitOrder}. */
export const formatTree = (entries: readonly TreeEntry[]): string =>
  entries.map(({ text }) => text).join("")

/** By name, where a folder's name ends with a slash. */
const placeOf = ({ name, isTree }: Pick<TreeEntry, "name" | "isTree">): string =>
  isTree ? `${name}/` : name

export const toGitOrder = (entries: readonly TreeEntry[]): TreeEntry[] =>
  entries.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))

export const rawId = (oid: Oid): string => Buffer.from(oid, "hex").toString("latin1")
export const oidOf = (id: string): Oid => Buffer.from(id, "latin1").toString("hex") as Oid
