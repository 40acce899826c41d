/** Finds out for each path of a checkout whether an interrupted move or another process wrote it. */

import { createHash } from "node:crypto"
import { lstatSync, readlinkSync, type Stats } from "node:fs"
import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readFiltered } from "../../git/ask/cat-file.ts"
import type { Change } from "../../git/ask/diff-tree.ts"
import { listStaged } from "../../git/ask/ls-files.ts"
import { listOthers } from "../../git/ask/ls-others.ts"
import type { TreeEntry } from "../../git/ask/ls-tree.ts"
import { ifExists } from "../../git/start/git-dir.ts"
import { joinBytes, parentsOf } from "../../git/start/git-path.ts"
import { readLarge, readPlain } from "../../process/plain-file.ts"

export type Ownership = {
  /** The index is at the new commit in every path, and so were all files once. */
  readonly isIndexMoved: boolean
  /** Content of neither side: a user's work. */
  readonly foreign: readonly GitPath[]
  /** Written by the move; the index does not have them. */
  readonly toRemove: readonly GitPath[]
  /** Changed or removed by the move; the index has them. */
  readonly toWrite: readonly GitPath[]
}

type Owner = "settled" | "move" | "foreign"
const SUBMODULE = "160000"
/** Each file may be large, and is in memory during its check. */
const FILES_AT_ONCE = 8

/** @param options `mending`: a file may also hold a beginning of the old bytes. */
export async function readOwnership(
  checkout: string,
  changes: readonly Change[],
  { mending }: { readonly mending: boolean },
): Promise<Ownership> {
  const index = await listStaged(checkout)
  const foreign: GitPath[] = []
  const toRemove: GitPath[] = []
  const toWrite: GitPath[] = []
  for (let at = 0; at < changes.length; at += FILES_AT_ONCE) {
    const some = changes.slice(at, at + FILES_AT_ONCE).map(async (change) => {
      const entry = index.get(change.path)
      return { change, entry, owner: await ownerOf(checkout, change, { entry, mending }) }
    })
    for (const { change, entry, owner } of await Promise.all(some)) {
      if (owner === "foreign") foreign.push(change.path)
      if (owner === "move") (entry ? toWrite : toRemove).push(change.path)
    }
    await yieldToEventLoop()
  }
  const isIndexMoved = changes.every((change) => isMoved(change, index.get(change.path)))
  const inPlace = await findInPlaceOf(checkout, toWrite, toRemove)
  const isFree = (path: GitPath) => !inPlace.some((other) => areNested(path, other))
  const free = toWrite.filter(isFree)
  return { isIndexMoved, foreign: [...foreign, ...inPlace], toRemove, toWrite: free }
}

/**
 * Whether a refused move had begun: some file has its new content, or was removed as intended. If
 * not, all content was there before.
 */
export async function hasBegun(checkout: string, changes: readonly Change[]): Promise<boolean> {
  for (const { path, newMode, oldOid, newOid } of changes) {
    const actual = await readOnDisk(checkout, path)
    if (isNone(newMode) && actual.kind === "absent") return true
    if (!("bytes" in actual) || actual.bytes.length === 0 || newOid === oldOid) continue
    if (await isAs(checkout, actual, { path, mode: newMode, oid: newOid })) return true
  }
  return false
}

async function ownerOf(
  checkout: string,
  change: Change,
  { entry, mending }: { readonly entry: TreeEntry | undefined; readonly mending: boolean },
): Promise<Owner> {
  const { path, oldMode, newMode, oldOid, newOid } = change
  if (isMoved(change, entry)) return "settled" // the move changes files only before the index
  if (oldMode === SUBMODULE || newMode === SUBMODULE) return "settled"
  const actual = await readOnDisk(checkout, path)
  if (actual.kind === "other") return "foreign"
  if (!("bytes" in actual)) return entry ? "move" : "settled"
  // The common case first: it needs no git, and there may be thousands.
  if (newOid !== oldOid && blobOid(actual.bytes, newOid) === newOid) return "move"
  const hasMode = oldMode === newMode || !entry || actual.mode === entry.mode
  if (entry && hasMode && (await isAs(checkout, actual, entry))) return "settled"
  if (await isPartOf(checkout, actual, { path, mode: newMode, oid: newOid })) return "move"
  const old = { path, mode: oldMode, oid: oldOid }
  const isOld = mending ? isPartOf(checkout, actual, old) : isAs(checkout, actual, old)
  return (await isOld) ? "move" : "foreign"
}

function isMoved({ newMode, newOid }: Change, entry: TreeEntry | undefined): boolean {
  return entry ? entry.oid === newOid && entry.mode === newMode : isNone(newMode)
}

/** Hashes identify most files. We ask git only for files with a filter. */
async function isAs(checkout: string, actual: OnDiskFile, side: TreeEntry): Promise<boolean> {
  if (isNone(side.mode) || (side.mode === LINK_MODE) !== (actual.kind === "link")) return false
  if (blobOid(actual.bytes, side.oid) === side.oid) return true
  return (await readFiltered(checkout, side.oid, side.path)).equals(actual.bytes)
}

async function isPartOf(checkout: string, actual: OnDiskFile, side: TreeEntry): Promise<boolean> {
  if (isNone(side.mode)) return false
  if (blobOid(actual.bytes, side.oid) === side.oid) return true
  const whole = await readFiltered(checkout, side.oid, side.path)
  return whole.subarray(0, actual.bytes.length).equals(actual.bytes)
}

/** Foreign files at paths that the repair must write, or in the place of their folders. */
async function findInPlaceOf(
  checkout: string,
  toWrite: readonly GitPath[],
  toRemove: readonly GitPath[],
): Promise<GitPath[]> {
  const written = new Set(toWrite)
  const places = new Set(toWrite.flatMap((path) => [path, ...parentsOf(path)]))
  const taken: GitPath[] = []
  for (const path of places) {
    const { kind } = await readOnDisk(checkout, path)
    if (kind !== "absent" && (kind === "folder") === written.has(path)) taken.push(path)
  }
  const others = taken.length > 0 ? await listOthers(checkout, taken) : []
  return others.filter((path) => !toRemove.includes(path))
}

/** Whether one is the other, or a folder that holds it. */
function areNested(one: GitPath, other: GitPath): boolean {
  const [a, b] = [one, other].map((path) => `${path.replace(/\/$/, "")}/`) as [string, string]
  return a.startsWith(b) || b.startsWith(a)
}

const isNone = (mode: string): boolean => mode === "000000"

type OnDisk = { readonly kind: "absent" | "folder" | "other" } | OnDiskFile
type OnDiskFile = {
  readonly kind: "file" | "link"
  /** The content; for a link, its target. */
  readonly bytes: Buffer
  /** As git writes it, six octal digits. */
  readonly mode: string
}

const LINK_MODE = "120000"
/** Reads synchronously, which is faster than yielding. */
const SMALL_BYTES_MAX = 64 * 1024

/** Reads the entry at a path of a checkout, never through a link. */
async function readOnDisk(checkout: string, path: GitPath): Promise<OnDisk> {
  for (const parent of parentsOf(path))
    if (!stat(checkout, parent)?.isDirectory()) return { kind: "absent" }
  const full = joinBytes(checkout, path)
  const found = stat(checkout, path)
  if (!found) return { kind: "absent" }
  if (found.isDirectory()) return { kind: "folder" }
  if (found.isSymbolicLink())
    return { kind: "link", bytes: readlinkSync(full, { encoding: "buffer" }), mode: LINK_MODE }
  if (!found.isFile()) return { kind: "other" }
  const mode = (found.mode & 0o100) === 0 ? "100644" : "100755"
  const read = found.size <= SMALL_BYTES_MAX ? readPlain : readLarge
  const bytes = await read(full, { follows: false })
  return bytes ? { kind: "file", bytes, mode } : { kind: "absent" }
}

/** The id of a blob of these bytes, in the same hash as `like`. */
function blobOid(bytes: Buffer, like: Oid): Oid {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256")
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") as Oid
}

function stat(checkout: string, path: GitPath): Stats | undefined {
  return ifExists(() => lstatSync(joinBytes(checkout, path), { throwIfNoEntry: false }))
}
