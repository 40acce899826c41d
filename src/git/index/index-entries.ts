/**
 * Reads the entries of an index file, where it is of the usual kind.
 *
 * @see https://git-scm.com/docs/index-format
 */
import { createHash } from "node:crypto"
import type { GitPath, Oid } from "../../core/ids.ts"

export type IndexEntry = {
  /** Where in the file it begins. */
  readonly at: number
  readonly path: GitPath
  /** git was told to overlook edits of the file: assumed unchanged, or to be skipped. */
  readonly isHidden: boolean
}

/** What git knows of a file, in bytes from where its entry begins. */
export const FIELDS = { ctime: 0, mtime: 8, ino: 20, size: 36 } as const

const HEADER_BYTES = 12
const VERSIONS: readonly number[] = [2, 3]
/** SHA-1; an index of SHA-256 fails the check of its own. */
const OID_BYTES = 20
const MODE_AT = 24
const OID_AT = 40
const FLAGS_AT = OID_AT + OID_BYTES
/** Of an entry: what git knows of the file, and the id of its content. */
export const FIXED_BYTES = FLAGS_AT
const ASSUMED_VALID = 0x8000
const IS_EXTENDED = 0x4000
const SKIPPED = 0x4000
const STAGE = 0x3000

/**
 * @returns undefined where it is not for us to read: of another version, with paths that are folded,
 *   split into two files or sparse, of another hash, or without its own; or cut short.
 */
export function readEntries(bytes: Buffer): IndexEntry[] | undefined {
  if (bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  if (!isWhole(bytes) || !VERSIONS.includes(bytes.readUInt32BE(4))) return undefined
  const entries: IndexEntry[] = []
  const limit = bytes.length - OID_BYTES
  let at = HEADER_BYTES
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (at + FLAGS_AT + 4 > limit) return undefined
    const flags = bytes.readUInt16BE(at + FLAGS_AT)
    const isExtended = (flags & IS_EXTENDED) !== 0
    const more = isExtended ? bytes.readUInt16BE(at + FLAGS_AT + 2) : 0
    const start = at + FLAGS_AT + (isExtended ? 4 : 2)
    const end = bytes.indexOf(0, start)
    if (end < 0 || end >= limit) return undefined
    const path = bytes.toString("latin1", start, end) as GitPath
    entries.push({ at, path, isHidden: (flags & ASSUMED_VALID) !== 0 || (more & SKIPPED) !== 0 })
    at += ((end - at + 8) >> 3) << 3 // one to eight zeros, to a whole number of eights
  }
  return hasOnlyOptional(bytes, at) ? entries : undefined
}

/** What is recorded of an entry's content; its mode as six octal digits. Of a path in conflict, a side's. */
export function contentOf(
  bytes: Buffer,
  { at }: IndexEntry,
): { readonly mode: string; readonly oid: Oid; readonly isInConflict: boolean } {
  return {
    mode: bytes
      .readUInt32BE(at + MODE_AT)
      .toString(8)
      .padStart(6, "0"),
    oid: bytes.toString("hex", at + OID_AT, at + FLAGS_AT) as Oid,
    isInConflict: (bytes.readUInt16BE(at + FLAGS_AT) & STAGE) !== 0,
  }
}

/** Takes in what was changed in the bytes of an index that {@link readEntries} could read. */
export function seal(bytes: Buffer): void {
  hashOf(bytes).copy(bytes, bytes.length - OID_BYTES)
}

const hashOf = (bytes: Buffer): Buffer =>
  createHash("sha1").update(bytes.subarray(0, -OID_BYTES)).digest()

const isWhole = (bytes: Buffer): boolean =>
  bytes.length >= HEADER_BYTES + OID_BYTES && hashOf(bytes).equals(bytes.subarray(-OID_BYTES))

/** Extensions that one must understand to understand the entries begin with a small letter. */
function hasOnlyOptional(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length - OID_BYTES; at += 8 + bytes.readUInt32BE(at + 4))
    if (!/[A-Z]/.test(bytes.toString("latin1", at, at + 1))) return false
  return true
}
