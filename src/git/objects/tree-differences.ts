/** What differs between two tree objects: read where they differ, and nowhere else. Pure. */
import { endOf, placeOf, readEntry, type TreeEntry } from "./tree-entry.ts"
import { entryAt, findEntry, type Tree } from "./tree-object.ts"

/** Entries of one name in two trees; undefined where there is none. */
export type EntryChange = { readonly before?: TreeEntry; readonly after?: TreeEntry }

/** By name, what differs. @returns undefined where `raw` is no tree that git would write. */
export function listDifferences(
  base: Tree,
  raw: string,
): ReadonlyMap<string, EntryChange> | undefined {
  if (raw === base.raw) return new Map()
  const inPlace = raw.length === base.raw.length ? listInPlace(base, raw) : undefined
  if (inPlace) return inPlace
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

/**
 * The everyday case: all names stand where they stood. What is the same in between is not looked at
 * entry by entry, wherever the first and the last difference are.
 *
 * @returns undefined where one does not.
 */
function listInPlace(base: Tree, raw: string): ReadonlyMap<string, EntryChange> | undefined {
  const { starts, idBytes } = base
  const changes = new Map<string, EntryChange>()
  const look = (low: number, high: number): boolean => {
    const [from, to] = [starts[low] ?? 0, starts[high] ?? 0]
    if (raw.slice(from, to) === base.raw.slice(from, to)) return true
    const middle = (low + high) >> 1
    if (middle > low) return look(low, middle) && look(middle, high)
    if (endOf(raw, from, idBytes) !== to) return false
    const [before, after] = [entryAt(base, low), readEntry(raw, from, to, idBytes)]
    changes.set(after.name, { before, after })
    return placeOf(before) === placeOf(after)
  }
  return look(0, starts.length - 1) ? changes : undefined
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

/** Of the entry that starts so many bytes before the end, where all that is behind it is the same. */
function indexOfEnd({ raw, starts }: Tree, bytes: number, same: number): number | undefined {
  if (bytes > same) return undefined
  const n = lastUpTo(starts, raw.length - bytes)
  return starts[n] === raw.length - bytes ? n : undefined
}

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
