/**
 * Writes objects, attached to nothing: as files in the object database, as git itself writes them.
 *
 * To start a git for it takes longer than all else that a landing writes. Where anything is set about
 * how objects are to be stored, or a file cannot be written, git does it, and says why it cannot.
 *
 * @see https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { constants, deflateSync } from "node:zlib"
import type { Oid } from "../../core/ids.ts"
import { commonDirOf, findGitDir } from "../worktrees/git-dir.ts"
import { hashObjects } from "./hash-object.ts"

export type NewObject = {
  readonly type: "commit" | "tree"
  /** The whole content, one char per raw byte. */
  readonly raw: string
}

/** Commits as git does it. Of a tree, four fifths are ids: to squeeze the rest takes seven times as long. */
const LEVEL = { commit: constants.Z_BEST_SPEED, tree: constants.Z_NO_COMPRESSION }
/** To set up zlib for more than a commit holds takes several times as long as what it then does. */
const SMALL = { memLevel: constants.Z_MIN_MEMLEVEL, windowBits: 9 }
/** What zlib adds to what it cannot squeeze. */
const ROOM_BYTES = 1024
/** In between whatever else is to be done gets its turn. */
const AT_ONCE = 8
/** Nobody changes an object. */
const OBJECT_MODE = 0o444

/**
 * The name that an object has, written or not: so that one can name another that is yet to be
 * written.
 *
 * @param like any object id of the repository: its length tells which hash is in use.
 */
export function objectOid(object: NewObject, like: Oid): Oid {
  return createHash(like.length === 40 ? "sha1" : "sha256")
    .update(stored(object), "latin1")
    .digest("hex") as Oid
}

/**
 * @param objects by name, those that are named by others first.
 * @param store `isPlainStore`: see settings.ts.
 */
export async function writeObjects(
  cwd: string,
  objects: ReadonlyMap<Oid, NewObject>,
  { isPlainStore }: { readonly isPlainStore: boolean },
): Promise<void> {
  if (isPlainStore && (await tryWrite(cwd, objects))) return
  for (const type of ["tree", "commit"] as const) {
    const ofType = [...objects.values()].filter((object) => object.type === type)
    await hashObjects(
      cwd,
      type,
      ofType.map(({ raw }) => raw),
    )
  }
}

/**
 * Each in a fraction of a millisecond; in the pool of Node's threads they would take several times as
 * long.
 */
async function tryWrite(cwd: string, objects: ReadonlyMap<Oid, NewObject>): Promise<boolean> {
  const gitDir = findGitDir(cwd)
  if (gitDir === undefined) return false
  const folder = join(commonDirOf(gitDir), "objects")
  try {
    for (const [n, [oid, object]] of [...objects].entries()) {
      writeLoose(folder, oid, object)
      if (n % AT_ONCE === AT_ONCE - 1) await setImmediate()
    }
    return true
  } catch {
    return false // git says why
  }
}

/** Under a name that git's clean-up knows, then in place at once: nobody ever sees half of one. */
function writeLoose(folder: string, oid: Oid, object: NewObject): void {
  const fanOut = join(folder, oid.slice(0, 2))
  const file = join(fanOut, oid.slice(2))
  if (makeYoung(file)) return
  const plain = Buffer.from(stored(object), "latin1")
  const chunkSize = plain.length + ROOM_BYTES
  const bytes = deflateSync(plain, { ...SMALL, level: LEVEL[object.type], chunkSize })
  const scratch = join(fanOut, `tmp_obj_${randomBytes(6).toString("hex")}`)
  writeNew(scratch, bytes)
  try {
    renameSync(scratch, file)
  } catch (error) {
    rmSync(scratch, { force: true })
    throw error
  }
}

/**
 * One that is there already is the same, and may be old work on a disk: another in its place would be
 * lost should the power fail now. It becomes as young as git makes it, or a gc might take it.
 *
 * @returns false where none is there, or an empty file: that is what a power failure leaves.
 */
function makeYoung(file: string): boolean {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return false
  const now = new Date()
  utimesSync(file, now, now)
  return true
}

/** Not the folder of all objects: without that there is no repository here any more. */
function makeFolder(fanOut: string): void {
  try {
    mkdirSync(fanOut)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

function writeNew(file: string, bytes: Buffer): void {
  const write = () => writeFileSync(file, bytes, { flag: "wx", mode: OBJECT_MODE })
  try {
    try {
      write()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
      makeFolder(dirname(file))
      write()
    }
  } catch (error) {
    rmSync(file, { force: true }) // half of it
    throw error
  }
}

const stored = ({ type, raw }: NewObject): string => `${type} ${raw.length}\0${raw}`
