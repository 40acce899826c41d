/**
 * Puts the trees of a task's commits together with the target's, where the two sides have changed
 * different files: the everyday case, and no merge at all.
 *
 * Only folders that the task has changed are read, whatever the target has done elsewhere. An entry
 * that only one side has changed is that side's; folders that both have changed are looked into. A
 * file that all sides have, and both have changed, somebody has to merge: it alone, because nobody has
 * renamed it (narrow.ts). Where both have changed anything else the whole trees have to be merged.
 * That covers renames too: git follows one into what the other side has changed of the same file, or
 * has put into the same folder, and there both sides have changed something. compose.test.ts compares
 * with `git merge-tree`.
 */
import type { GitPath, Oid } from "../../core/ids.ts"
import { type NewObject, objectOid } from "../../git/objects/object-writer.ts"
import { oidOf, rawId } from "../../git/objects/raw-id.ts"
import { spliceTree } from "../../git/objects/splice-tree.ts"
import { type TreeEntry, treeEntry } from "../../git/objects/tree-entry.ts"
import { findEntry, type Tree } from "../../git/objects/tree-object.ts"
import { FolderReader, type Sides, type TreeId } from "./folder-reader.ts"

/** That both sides have changed. Beyond that git is the better reader. */
const FOLDERS_MAX = 256
/** Entries that differ from the base, commit by commit: in between nothing else gets its turn. */
const CHANGES_MAX = 4_096

export type Composed = {
  readonly kind: "apart"
  /** One for each of the commits. */
  readonly trees: readonly Oid[]
  /** Those that are new, each behind what it holds. */
  readonly objects: ReadonlyMap<Oid, NewObject>
}

export type Meeting = {
  readonly kind: "meeting"
  /** That all sides have, and both have changed. */
  readonly files: ReadonlyMap<GitPath, Sides<TreeEntry>>
  /**
   * Puts the rest together with these files as somebody has merged them.
   *
   * @param merged all of the files, after each of the last commits.
   */
  settle(merged: readonly Files[]): Promise<Composed | undefined>
}

export type Files = ReadonlyMap<GitPath, TreeEntry>

/** @returns undefined where git has to tell. */
export async function composeTrees(
  repo: string,
  { base, onto, theirs }: Sides<Oid>,
): Promise<Composed | Meeting | undefined> {
  const reader = new FolderReader(repo, base)
  const sides = { base: rawId(base), onto: rawId(onto), theirs: theirs.map(rawId) }
  const files = new Map<GitPath, Sides<TreeEntry>>()
  const meet = (path: GitPath, entries: Sides<TreeEntry>) => {
    files.set(path, entries)
    return undefined
  }
  const composed = await compose(reader, sides, meet)
  if (!composed || files.size === 0) return composed
  const settle = (merged: readonly Files[]) => {
    const last = { ...sides, theirs: sides.theirs.slice(-merged.length) }
    return compose(reader, last, (path) => merged.flatMap((one) => one.get(path) ?? []))
  }
  return { kind: "meeting", files, settle }
}

async function compose(
  reader: FolderReader,
  sides: Sides<TreeId>,
  meet: Meet,
): Promise<Composed | undefined> {
  const composer = new Composer(reader, meet)
  const composed = (await composer.compose("", sides))?.flatMap((id) => id ?? [])
  // A root without a file has no folder that it could be left out of.
  if (composed?.length !== sides.theirs.length) return undefined
  return { kind: "apart", trees: composed.map(oidOf), objects: composer.objects }
}

/** @returns the file after each commit; undefined where that is not known yet. */
type Meet = (path: GitPath, entries: Sides<TreeEntry>) => readonly TreeEntry[] | undefined
type Entry = TreeEntry | undefined

class Composer {
  readonly #reader: FolderReader
  readonly #meet: Meet
  readonly objects = new Map<Oid, NewObject>()
  /** Something is not known yet: then it only looks what else there is. */
  #isOpen = false
  #folders = 0
  #changes = 0

  constructor(reader: FolderReader, meet: Meet) {
    this.#reader = reader
    this.#meet = meet
  }

  /**
   * @param prefix the folder's path, with a slash behind it.
   * @returns the folder after each commit; undefined where git has to tell.
   */
  async compose(prefix: string, sides: Sides<TreeId>): Promise<readonly TreeId[] | undefined> {
    this.#folders++
    const read = this.#folders > FOLDERS_MAX ? undefined : await this.#reader.read(sides)
    if (!read) return undefined
    const { base, onto, changes } = read
    for (const one of changes) this.#changes += one.size
    if (this.#changes > CHANGES_MAX) return undefined
    const merged: (readonly [string, readonly Entry[]])[] = []
    for (const name of new Set(changes.flatMap((one) => [...one.keys()]))) {
      const before = findEntry(base, name)
      const theirs = changes.map((one) => (one.has(name) ? one.get(name)?.after : before))
      const entries = { base: before, onto: findEntry(onto, name), theirs }
      const after = await this.#merge(`${prefix}${name}`, name, entries)
      if (!after) return undefined
      merged.push([name, after])
    }
    if (this.#isOpen) return sides.theirs
    return sides.theirs.map((_, n) => {
      const entries = merged.map(([name, after]) => [name, after[n]] as const)
      return this.#splice(onto, sides.onto, entries)
    })
  }

  /** The entries of one name: the only side's that has changed it, or a folder or a file of both. */
  async #merge(
    path: string,
    name: string,
    { base, onto, theirs }: Sides<Entry>,
  ): Promise<readonly Entry[] | undefined> {
    if (onto?.text === base?.text) return theirs
    const files = theirs.flatMap((entry) => (entry?.isFile ? entry : []))
    if (base?.isFile && onto?.isFile && files.length === theirs.length) {
      const merged = this.#meet(path as GitPath, { base, onto, theirs: files })
      this.#isOpen ||= merged === undefined
      return merged ?? theirs
    }
    const changed = [onto, ...theirs.filter((entry) => entry?.text !== base?.text)]
    const areFolders = (base?.isTree ?? true) && changed.every((entry) => entry?.isTree)
    if (!areFolders) return undefined
    const after = theirs.map((entry) => entry?.id)
    const ids = { base: base?.id, onto: onto?.id, theirs: after }
    const composed = await this.compose(`${path}/`, ids)
    return composed?.map((id) => (id === undefined ? undefined : treeEntry(name, id)))
  }

  /** A folder that is empty now is none. */
  #splice(onto: Tree, id: TreeId, entries: readonly (readonly [string, Entry])[]): TreeId {
    const raw = spliceTree(onto, entries)
    if (raw === onto.raw) return id
    if (raw === "") return undefined
    const tree = { type: "tree", raw } as const
    const oid = objectOid(tree, this.#reader.like)
    this.objects.set(oid, tree)
    return rawId(oid)
  }
}
