/**
 * Finds entries of a tree that git refuses to check out or to fetch, and that an earlier tree does
 * not have. Such an entry is a name for `.git` on some system, an empty name, a path, a null object
 * id or a wrong order. Pure.
 *
 * Git itself writes no such tree, but `git mktree` and `hash-object` let an agent do so. Many
 * histories hold odd modes of old versions of git and other programs: a leading zero, or any
 * permissions. They do no harm.
 *
 * @see https://git-scm.com/docs/git-fsck hasDot, hasDotdot, hasDotgit, fullPathname, emptyName, nullSha1,
 *   treeNotSorted, duplicateEntries, gitmodulesSymlink
 */
import type { Oid } from "../../../base/ids.ts"
import { parseTree, type RawEntry } from "../../git/ask/ls-tree.ts"

/** A folder that is new or has changed, in the tree before and in this one. */
export type ChangedFolder = {
  readonly name: string
  readonly before: Oid | undefined
  readonly after: Oid
}
export type Fitness =
  | { readonly kind: "fit"; readonly folders: readonly ChangedFolder[] }
  /** `name` is empty if the whole tree is unfit. */
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }

const MODE = /^0*(10|12|16|4)[0-7]{4}$/
const FOLDER = /^0*4[0-7]{4}$/
const LINK = /^0*12[0-7]{4}$/
/** NTFS ignores dots and spaces at the end of a name, and a stream after a colon. */
const NTFS_GIT = /(^|\\)(\.git|git~1)[. ]*($|[\\:])/i
const NTFS_MODULES = /^(\.gitmodules|gitmod~[1-4]|gi7e[0-9a-f]*~\d+)[. ]*($|:)/i
/** Characters that HFS+ ignores in a name. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** @param before a tree that exists already, or "" for none. @param idBytes of an object id. */
export function lookAtTree(before: string, after: string, idBytes: number): Fitness {
  const [old, changed] = listChanged(before, after, idBytes)
  if (!changed) return { kind: "unfit", name: "", why: "it is not a valid tree, or not sorted" }
  for (const entry of changed) {
    const why = whyUnfit(entry)
    if (why !== undefined) return { kind: "unfit", name: entry.name, why }
  }
  const folders = changed.filter(({ mode }) => FOLDER.test(mode))
  const found = folders.map(({ name, id }) => ({ name, before: old(name), after: id }))
  return { kind: "fit", folders: found }
}

type FindFolder = (name: string) => Oid | undefined

/**
 * @returns the entries that differ from `before`; undefined if `after` is unreadable or unsorted.
 */
function listChanged(
  before: string,
  after: string,
  idBytes: number,
): readonly [FindFolder, readonly RawEntry[] | undefined] {
  const [entriesBefore, entries] = [parseTree(before, idBytes) ?? [], parseTree(after, idBytes)]
  const byName = new Map(entriesBefore.map((entry) => [entry.name, entry]))
  const old: FindFolder = (name) => {
    const entry = byName.get(name)
    return entry && FOLDER.test(entry.mode) ? entry.id : undefined
  }
  const isInOrder = !isOrdered(entriesBefore) || (entries !== undefined && isOrdered(entries))
  const isNew = (entry: RawEntry) => {
    const one = byName.get(entry.name)
    return one?.id !== entry.id || one.mode !== entry.mode
  }
  return [old, isInOrder ? entries?.filter(isNew) : undefined]
}

/** As git sorts them, and each name once. */
function isOrdered(entries: readonly RawEntry[]): boolean {
  const places = entries.map(({ mode, name }) => (FOLDER.test(mode) ? `${name}/` : name))
  const isSorted = places.every((place, n) => n === 0 || (places[n - 1] ?? "") < place)
  return isSorted && new Set(entries.map(({ name }) => name)).size === entries.length
}

function whyUnfit({ mode, name, id }: RawEntry): string | undefined {
  if (name === "" || name === "." || name === "..") return "that is not a file name"
  if (name.includes("/")) return "that is a path, not a file name"
  const text = Buffer.from(name, "latin1").toString("utf8").replace(HFS_IGNORED, "")
  if (/^\.git$/i.test(text) || NTFS_GIT.test(name)) return "git keeps that name for itself"
  const isModules = /^\.gitmodules$/i.test(text) || NTFS_MODULES.test(name)
  if (LINK.test(mode) && isModules) return "git takes no link for .gitmodules"
  if (!MODE.test(mode)) return "it is neither a file, a link, a folder nor a submodule"
  if (/^0+$/.test(id)) return "its object id is all zeros"
  return undefined
}
