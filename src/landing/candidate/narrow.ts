/**
 * Where both sides have changed a few of the same files: histories of these files alone.
 *
 * To merge them takes the same time in every repository. The outcome is that of the whole, because
 * the base and every side have each of these files: no side has renamed one, removed one or put one
 * there, and of all else only one side has changed each part. Attributes go by path, and are those of
 * the target's commit all the same. compose.test.ts compares with merges of the whole.
 */
import { assert } from "../../core/assert.ts"
import type { GitPath, Oid } from "../../core/ids.ts"
import { formatCommit } from "../../git/objects/commit-object.ts"
import { askObjects } from "../../git/objects/object-reader.ts"
import { type NewObject, objectOid } from "../../git/objects/object-writer.ts"
import { oidOf, rawId } from "../../git/objects/raw-id.ts"
import { spliceTree } from "../../git/objects/splice-tree.ts"
import { listDifferences } from "../../git/objects/tree-differences.ts"
import { type TreeEntry, treeEntry } from "../../git/objects/tree-entry.ts"
import { parseTree, type Tree } from "../../git/objects/tree-object.ts"
import type { Composed, Files, Meeting } from "./compose.ts"
import type { Sides } from "./folder-reader.ts"

type NarrowCommit = { readonly oid: Oid; readonly tree: Oid; readonly parents: readonly Oid[] }

/** The target's commit and those of the task that change one of the files, from one base. */
export type Narrow = {
  readonly base: NarrowCommit
  readonly onto: NarrowCommit
  readonly commits: readonly NarrowCommit[]
  /** To be written before anything is merged. */
  readonly objects: ReadonlyMap<Oid, NewObject>
  /** Of each of the task's commits, how many of `commits` there are up to it. */
  readonly counts: readonly number[]
}

/** Nobody's: the same files give the same commits each time. */
const IDENT = "Coppice <coppice@localhost> 0 +0000"

/** @param like any object id of the repository. */
export function narrow({ files }: Meeting, like: Oid): Narrow {
  const objects = new Map<Oid, NewObject>()
  const add = (object: NewObject) => {
    const oid = objectOid(object, like)
    objects.set(oid, object)
    return oid
  }
  const commit = (pick: (sides: Sides<TreeEntry>) => TreeEntry, parents: readonly Oid[]) => {
    const entries = [...files].map(([path, sides]) => [path, pick(sides)] as const)
    const tree = oidOf(addTree(entries, like, add))
    const who = { author: IDENT, committer: IDENT }
    const raw = formatCommit({ tree, parents, ...who, message: "" })
    return { oid: add({ type: "commit", raw }), tree, parents }
  }
  const base = commit((sides) => sides.base, [])
  const onto = commit((sides) => sides.onto, [base.oid])
  const commits: NarrowCommit[] = []
  const [first] = files.values()
  const counts = (first?.theirs ?? []).map((_, n) => {
    const last = commits.at(-1) ?? base
    const next = commit(({ theirs }) => entryAt(theirs, n), [last.oid])
    if (next.tree !== last.tree) commits.push(next)
    else objects.delete(next.oid)
    return commits.length
  })
  return { base, onto, commits, objects, counts }
}

/**
 * Puts merged trees back into the whole ones.
 *
 * @param trees one for each of the narrow commits, which gives one for each of the task's; or one for
 *   all of them together.
 * @returns undefined where git has to tell.
 */
export async function widen(
  repo: string,
  { meeting, onto, counts }: Pick<Narrow, "onto" | "counts"> & { readonly meeting: Meeting },
  trees: readonly Oid[],
): Promise<Composed | undefined> {
  const merged = await Promise.all([onto.tree, ...trees].map((tree) => readFiles(repo, tree)))
  if (!merged.every((files) => files?.size === meeting.files.size)) return undefined
  const isEach = trees.length === counts.at(-1)
  return await meeting.settle((isEach ? counts : [1]).flatMap((count) => merged[count] ?? []))
}

const entryAt = (entries: readonly TreeEntry[], n: number): TreeEntry => {
  const entry = entries[n]
  assert(entry, "each commit of the task has the file")
  return entry
}

/** @returns its id, as it stands in a tree. */
function addTree(
  files: readonly (readonly [string, TreeEntry])[],
  like: Oid,
  add: (object: NewObject) => Oid,
): string {
  const inside = Map.groupBy(files, ([path]) => (path.includes("/") ? path.split("/", 1)[0] : ""))
  const entries = [...inside].flatMap(([folder, found]) => {
    if (!folder) return found
    const below = found.map(([path, file]) => [path.slice(folder.length + 1), file] as const)
    return [[folder, treeEntry(folder, addTree(below, like, add))] as const]
  })
  return rawId(add({ type: "tree", raw: spliceTree(noFiles(like), entries) }))
}

function noFiles(like: Oid): Tree {
  const none = parseTree("", like)
  assert(none, "an empty tree is one")
  return none
}

/** Every file of a tree that has few. @returns undefined where nobody can say. */
async function readFiles(repo: string, tree: Oid, prefix = ""): Promise<Files | undefined> {
  const [found] = (await askObjects(repo, [{ verb: "contents", name: tree }])) ?? []
  const entries = found && listDifferences(noFiles(tree), found.content)
  if (!entries) return undefined
  const files = new Map<GitPath, TreeEntry>()
  for (const { after: entry } of entries.values()) {
    if (!entry) continue
    const path = `${prefix}${entry.name}`
    const below = entry.isTree ? await readFiles(repo, oidOf(entry.id), `${path}/`) : undefined
    if (entry.isTree && !below) return undefined
    if (!entry.isTree) files.set(path as GitPath, entry)
    for (const [inside, file] of below ?? []) files.set(inside, file)
  }
  return files
}
