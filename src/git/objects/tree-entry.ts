/** One entry of a tree object, as text: one char per raw byte. Pure. */

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

const TREE_MODE = "40000"
const NOTHING = "\0".repeat(32)
/** The modes that git writes. Old trees hold others, which git puts right when it merges. */
const MODES = ["100644", TREE_MODE, "100755", "120000", "160000"].map((mode) => `${mode} `)

/** A folder's, of these raw bytes for an id. */
export function treeEntry(name: string, id: string): TreeEntry {
  return { name, isTree: true, isFile: false, id, text: `${TREE_MODE} ${name}\0${id}` }
}

/** By name, where a folder's name ends with a slash. */
export const placeOf = ({ name, isTree }: Pick<TreeEntry, "name" | "isTree">): string =>
  isTree ? `${name}/` : name

/** Where the entry ends that starts at `at`; undefined where git would write none such. */
export function endOf(raw: string, at: number, idBytes: number): number | undefined {
  const mode = MODES.find((one) => raw.startsWith(one, at))
  const end = mode === undefined ? -1 : raw.indexOf("\0", at)
  const next = end + 1 + idBytes
  if (mode === undefined || end < 0 || next > raw.length) return undefined
  const name = raw.slice(at + mode.length, end)
  if (name === "" || name.includes("/") || raw.startsWith(NOTHING.slice(0, idBytes), end + 1))
    return undefined
  return next
}

/** What stands in order. @param end as {@link endOf} tells it. */
export function namedAt(raw: string, at: number, end: number, idBytes: number) {
  const isTree = raw.startsWith(TREE_MODE, at)
  const name = raw.slice(at + (isTree ? 6 : 7), end - idBytes - 1)
  return { name, isTree, place: isTree ? `${name}/` : name }
}

export function readEntry(raw: string, at: number, end: number, idBytes: number): TreeEntry {
  const { name, isTree } = namedAt(raw, at, end, idBytes)
  const isFile = raw.startsWith("100", at)
  return { name, isTree, isFile, id: raw.slice(end - idBytes, end), text: raw.slice(at, end) }
}
