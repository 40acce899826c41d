/** A tree object with other entries: cut and joined where they are. Pure. */
import { placeOf, type TreeEntry } from "./tree-entry.ts"
import { countBefore, entryAt, indexOf, type Tree } from "./tree-object.ts"

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
