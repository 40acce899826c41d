/**
 * Tells git which files it need not read again in a worktree that was filled this second.
 *
 * Git compares whole seconds: a file as old as the index may have been edited since at the same
 * size, so every git reads it again, and right after a checkout that is all of them. The file system
 * knows more. No write leaves the change time of a file as it was, and nobody can set that. So a
 * file whose times, number and size are those of the index, fractions and all, with a change time
 * before the end of the fill, is what git has written: until then nobody else was there, and since
 * then nobody has touched it.
 *
 * This is said in a copy of the index: it gets a time to come, at which git believes what looks
 * unchanged, and what is not certain gets times that git does not believe. Only such a copy may have
 * that time: in the worktree's own index it would hide what an agent does next.
 */
import { lstatSync, type Stats, statSync } from "node:fs"
import { utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate as breathe, setTimeout as delay } from "node:timers/promises"
import type { GitPath } from "../../core/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { joinBytes } from "../path.ts"
import { FIELDS, FIXED_BYTES, type IndexEntry, readEntries, seal } from "./index-entries.ts"

/** In the git directory of a worktree; its own time is when the fill was over. */
const FILE = "coppice-filled"
/** Git looks at whole seconds. */
const AHEAD_S = 10
/** File systems tick in steps of up to 10 ms; one that knows whole seconds alone is not waited for. */
const TICKS_MAX = 20
const IS_ASCII = /^[\x20-\x7e]*$/
/** In one go: about a ms. */
const FILES_AT_ONCE = 256

/**
 * Says that the worktree at `root` is full whose first index git has just written; before anybody is
 * let in. Where the file system cannot tell it from the last file, what is the same to it is not
 * certain; and where its files are on another one, whose clock may be coarser, or wrong, nothing is.
 *
 * @param dir the worktree's own git directory.
 */
export async function markFilled(root: string, dir: string): Promise<void> {
  if (statSync(root).dev !== statSync(dir).dev) return
  const file = join(dir, FILE)
  const { ctimeMs } = statSync(join(dir, "index"))
  for (let tick = 0; tick < TICKS_MAX; tick++) {
    await writeFile(file, "")
    await utimes(file, 0, 0) // where that sets the change time too (FAT, sshfs), nothing is certain
    if (statSync(file).ctimeMs > ctimeMs) return
    await delay(1)
  }
}

/**
 * When the worktree was full, in ms and fractions, by the clock that its files' times are of.
 *
 * @returns undefined where git does not read all files again, or nobody has said so.
 */
export function findFilledMs(dir: string): number | undefined {
  const filled = statSync(join(dir, FILE), { throwIfNoEntry: false })
  const index = filled && statSync(join(dir, "index"), { throwIfNoEntry: false })
  const isYoung = index && Math.floor(index.mtimeMs / 1000) <= Math.floor(filled.ctimeMs / 1000)
  return isYoung ? filled.ctimeMs : undefined
}

/** What a copy was made to forget: the fixed part of each entry, as it was, by path. */
export type Forgotten = ReadonlyMap<GitPath, Buffer>

/**
 * Settles a copy of the index of the worktree at `root`.
 *
 * @param filledMs as {@link findFilledMs} tells it.
 * @returns undefined where it is left as it is, being of an unusual kind.
 */
export async function settleIndex(
  root: string,
  copy: string,
  filledMs: number,
): Promise<Forgotten | undefined> {
  const bytes = await readLarge(copy)
  const entries = bytes && readEntries(bytes)
  if (!bytes || !entries) return undefined
  const forgotten = new Map<GitPath, Buffer>()
  for (const [n, entry] of entries.entries()) {
    if (n % FILES_AT_ONCE === FILES_AT_ONCE - 1) await breathe()
    if (isCertain(root, { bytes, entry }, filledMs)) continue
    const known = Buffer.from(fixedPart(bytes, entry))
    forget(bytes, entry)
    if (!known.equals(fixedPart(bytes, entry))) forgotten.set(entry.path, known)
  }
  if (forgotten.size > 0) {
    seal(bytes)
    await writeFile(copy, bytes)
  }
  await putAhead(copy)
  return forgotten
}

/**
 * Gives back to a settled copy what git has not found out anew meanwhile: it is to be the worktree's own,
 * where `git diff-files` would tell each forgotten file as changed.
 */
export async function remindIndex(copy: string, forgotten: Forgotten): Promise<void> {
  if (forgotten.size === 0) return
  const bytes = await readLarge(copy)
  const entries = bytes && readEntries(bytes)
  if (!bytes || !entries) return
  for (const entry of entries) {
    const known = forgotten.get(entry.path)
    const left = known && Buffer.from(known)
    if (left) forget(left, { at: 0 })
    if (left?.equals(fixedPart(bytes, entry))) known?.copy(bytes, entry.at)
  }
  seal(bytes)
  await writeFile(copy, bytes)
}

/** To be called again after each git that wrote the copy. */
export async function putAhead(copy: string): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000) + AHEAD_S
  await utimes(copy, seconds, seconds)
}

type Recorded = { readonly bytes: Buffer; readonly entry: IndexEntry }

/** The same second and fraction are the same number, and a later one is not. */
function isCertain(root: string, { bytes, entry }: Recorded, filledMs: number): boolean {
  const { at, path } = entry
  const file = look(root, path)
  if (!file || file.ctimeMs >= filledMs) return false
  return (
    file.ctimeMs === readMs(bytes, at + FIELDS.ctime) &&
    file.mtimeMs === readMs(bytes, at + FIELDS.mtime) &&
    file.ino >>> 0 === bytes.readUInt32BE(at + FIELDS.ino) &&
    file.size >>> 0 === bytes.readUInt32BE(at + FIELDS.size)
  )
}

function look(root: string, path: GitPath): Stats | undefined {
  const file = IS_ASCII.test(path) ? `${root}/${path}` : joinBytes(root, path)
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined // git finds out what is in the way
  }
}

/** As Node tells the times of files. */
const readMs = (bytes: Buffer, at: number): number =>
  bytes.readUInt32BE(at) * 1_000 + bytes.readUInt32BE(at + 4) / 1_000_000

/** What git knows of the file, and of its content. */
const fixedPart = (bytes: Buffer, { at }: IndexEntry): Buffer =>
  bytes.subarray(at, at + FIXED_BYTES)

/** Git reads a file again of which it knows no time and no size. */
function forget(bytes: Buffer, { at }: Pick<IndexEntry, "at">): void {
  bytes.fill(0, at + FIELDS.mtime, at + FIELDS.mtime + 8)
  bytes.fill(0, at + FIELDS.size, at + FIELDS.size + 4)
}
