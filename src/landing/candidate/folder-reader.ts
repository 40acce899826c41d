/** Reads the trees of one folder as they stand on all sides, within bounds, each once. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import { askObjects } from "../../git/objects/object-reader.ts"
import { oidOf } from "../../git/objects/raw-id.ts"
import { type EntryChange, listDifferences } from "../../git/objects/tree-differences.ts"
import { parseTree, type Tree } from "../../git/objects/tree-object.ts"

/** Of all trees that are looked through: more would hold up everything else, and fill the memory. */
const BYTES_MAX = 4 * 1024 * 1024
/** How large they are is known only when they are here. */
const READ_AT_ONCE = 8

/** Trees of the same folder: of the two histories' base, of the target, after each commit of the task. */
export type Sides<Id> = { readonly base: Id; readonly onto: Id; readonly theirs: readonly Id[] }
/** Of a tree, as it stands in another; undefined where there is no such folder. */
export type TreeId = string | undefined

export type Folder = {
  readonly base: Tree
  readonly onto: Tree
  /** By name, what of the base each commit of the task has changed. */
  readonly changes: readonly ReadonlyMap<string, EntryChange>[]
}

export class FolderReader {
  readonly #repo: string
  readonly like: Oid
  readonly #raws = new Map<TreeId, string>([[undefined, ""]])
  #bytes = 0

  /** @param like any object id of the repository. */
  constructor(repo: string, like: Oid) {
    this.#repo = repo
    this.like = like
  }

  /** @returns undefined where git is the better reader. */
  async read({ base, onto, theirs }: Sides<TreeId>): Promise<Folder | undefined> {
    if (!(await this.#readAll([base, onto, ...theirs]))) return undefined
    const [ofBase, ofOnto] = [base, onto].map((id) => parseTree(this.#raw(id), this.like))
    if (!ofBase || !ofOnto) return undefined
    const ids = [...new Set(theirs)] // most commits leave most folders alone
    const found = new Map(ids.map((id) => [id, listDifferences(ofBase, this.#raw(id))]))
    const changes = theirs.flatMap((id) => found.get(id) ?? [])
    return changes.length === theirs.length ? { base: ofBase, onto: ofOnto, changes } : undefined
  }

  #raw(id: TreeId): string {
    const raw = this.#raws.get(id)
    assert(raw !== undefined, "it was read")
    return raw
  }

  async #readAll(ids: readonly TreeId[]): Promise<boolean> {
    const unknown = [...new Set(ids)].flatMap((id) => (this.#raws.has(id) ? [] : (id ?? [])))
    for (let at = 0; at < unknown.length; at += READ_AT_ONCE) {
      const some = unknown.slice(at, at + READ_AT_ONCE)
      const questions = some.map((id) => ({ verb: "contents", name: oidOf(id) }) as const)
      const found = await askObjects(this.#repo, questions)
      for (const [n, id] of some.entries()) {
        const object = found?.[n]
        this.#bytes += object?.sizeBytes ?? 0
        if (object?.type !== "tree" || this.#bytes > BYTES_MAX) return false
        this.#raws.set(id, object.content)
      }
    }
    return true
  }
}
