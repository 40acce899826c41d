/**
 * Puts the trees of a task's commits together with the target's, where the two sides have changed
 * different files: the everyday case, and no merge at all.
 *
 * Only folders that the task has changed are read, whatever the target has done elsewhere. An entry
 * that only one side has changed is that side's; folders that both have changed are looked into; and
 * where both have changed anything else, somebody has to merge. That covers renames too: git follows
 * one into what the other side has changed of the same file, or has put into the same folder, and
 * there both sides have changed something. compose.test.ts compares with `git merge-tree`.
 */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import { askObjects } from "../../git/object-reader.ts"
import { type NewObject, objectOid } from "../../git/object-writer.ts"
import { oidOf, rawId } from "../../git/raw-id.ts"
import {
  findEntry,
  listDifferences,
  parseTree,
  spliceTree,
  type Tree,
  type TreeEntry,
  treeEntry,
} from "../../git/tree-object.ts"

/** That both sides have changed. Beyond that git is the better reader. */
const FOLDERS_MAX = 256
/** Of all trees that are looked through: more would hold up everything else, and fill the memory. */
const BYTES_MAX = 4 * 1024 * 1024
/** How large they are is known only when they are here. */
const READ_AT_ONCE = 8

export type Composed = {
  /** One for each of the commits. */
  readonly trees: readonly Oid[]
  /** Those that are new, each behind what it holds. */
  readonly objects: ReadonlyMap<Oid, NewObject>
}

/** Trees of the same folder: of the two histories' base, of the target, after each commit of the task. */
type Sides<Id> = { readonly base: Id; readonly onto: Id; readonly theirs: readonly Id[] }

/** @returns undefined where the sides meet, or git has to tell. */
export async function composeTrees(repo: string, sides: Sides<Oid>): Promise<Composed | undefined> {
  const { base, onto, theirs } = sides
  const composer = new Composer(repo, base)
  const ids = { base: rawId(base), onto: rawId(onto), theirs: theirs.map(rawId) }
  const composed = (await composer.compose(ids))?.flatMap((id) => id ?? [])
  // A root without a file has no folder that it could be left out of.
  if (composed?.length !== theirs.length) return undefined
  return { trees: composed.map(oidOf), objects: composer.objects }
}

/** Of a tree, as it stands in another; undefined where there is no such folder. */
type Id = string | undefined
type Entry = TreeEntry | undefined

class Composer {
  readonly #repo: string
  readonly #like: Oid
  readonly #noFiles: Tree
  readonly objects = new Map<Oid, NewObject>()
  #folders = 0
  #bytes = 0

  constructor(repo: string, like: Oid) {
    this.#repo = repo
    this.#like = like
    const noFiles = parseTree("", like)
    assert(noFiles, "an empty tree is one")
    this.#noFiles = noFiles
  }

  /** @returns the folder after each commit; undefined where the sides meet in it. */
  async compose({ base, onto, theirs }: Sides<Id>): Promise<readonly Id[] | undefined> {
    this.#folders++
    const read = this.#folders > FOLDERS_MAX ? undefined : await this.#read(base, onto, theirs)
    if (!read) return undefined
    const { ofBase, ofOnto, changes } = read
    const merged: (readonly [string, readonly Entry[]])[] = []
    for (const name of new Set(changes.flatMap((one) => [...one.keys()]))) {
      const before = findEntry(ofBase, name)
      const after = changes.map((one) => (one.has(name) ? one.get(name)?.after : before))
      const sides = { base: before, onto: findEntry(ofOnto, name), theirs: after }
      const entries = await this.#merge(name, sides)
      if (!entries) return undefined
      merged.push([name, entries])
    }
    return theirs.map((_, n) => {
      const entries = merged.map(([name, after]) => [name, after[n]] as const)
      return this.#splice(ofOnto, onto, entries)
    })
  }

  /** The entries of one name: the only side's that has changed it, or a folder of both. */
  async #merge(
    name: string,
    { base, onto, theirs }: Sides<Entry>,
  ): Promise<readonly Entry[] | undefined> {
    if (onto?.text === base?.text) return theirs
    const changed = [onto, ...theirs.filter((entry) => entry?.text !== base?.text)]
    const areFolders = (base?.isTree ?? true) && changed.every((entry) => entry?.isTree)
    if (!areFolders) return undefined
    const after = theirs.map((entry) => entry?.id)
    const composed = await this.compose({ base: base?.id, onto: onto?.id, theirs: after })
    return composed?.map((id) => (id === undefined ? undefined : treeEntry(name, id)))
  }

  /** A folder that is empty now is none. */
  #splice(onto: Tree, id: Id, entries: readonly (readonly [string, Entry])[]): Id {
    const raw = spliceTree(onto, entries)
    if (raw === onto.raw) return id
    if (raw === "") return undefined
    const tree = { type: "tree", raw } as const
    const oid = objectOid(tree, this.#like)
    this.objects.set(oid, tree)
    return rawId(oid)
  }

  /** `changes`: by name, what of the base each commit has changed. */
  async #read(base: Id, onto: Id, theirs: readonly Id[]) {
    const raws = await this.#readRaw([base, onto, ...theirs])
    if (!raws) return undefined
    const [ofBase, ofOnto] = [base, onto].map((id) => this.#parse(id, raws))
    if (!ofBase || !ofOnto) return undefined
    const changes = theirs.flatMap((id) => listDifferences(ofBase, raws.get(id) ?? "") ?? [])
    return changes.length === theirs.length ? { ofBase, ofOnto, changes } : undefined
  }

  #parse(id: Id, raws: ReadonlyMap<Id, string>): Tree | undefined {
    return id === undefined ? this.#noFiles : parseTree(raws.get(id) ?? "", this.#like)
  }

  async #readRaw(ids: readonly Id[]): Promise<ReadonlyMap<Id, string> | undefined> {
    const distinct = [...new Set(ids)].flatMap((id) => id ?? [])
    const raws = new Map<Id, string>()
    for (let at = 0; at < distinct.length; at += READ_AT_ONCE) {
      const some = distinct.slice(at, at + READ_AT_ONCE)
      const questions = some.map((id) => ({ verb: "contents", name: oidOf(id) }) as const)
      const found = await askObjects(this.#repo, questions)
      for (const [n, id] of some.entries()) {
        const object = found?.[n]
        this.#bytes += object?.sizeBytes ?? 0
        if (object?.type !== "tree" || this.#bytes > BYTES_MAX) return undefined
        raws.set(id, object.content)
      }
    }
    return raws
  }
}
