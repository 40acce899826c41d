/**
 * Reads and writes small files in whose place somebody else may have put anything: an agent, a
 * repository that was cloned, a program in between.
 *
 * To open a pipe waits until somebody writes into it, which may be never; a device may act on being
 * opened; a file may be larger than memory. None of that is waited for or taken in here. Whoever
 * reads what an agent or a repository can reach reads it here, as test/tidy.test.ts checks.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  type PathLike,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { open } from "node:fs/promises"
import { UnreadableFileError } from "./errors.ts"

/** What is read in one go, while nothing else goes on, takes a few ms. */
const BYTES_MAX = 16 * 1024 * 1024
/** What Node reads into memory at once. */
const LARGE_BYTES_MAX = 2 ** 31 - 1
/** Of a path that leads nowhere: a file may stand where a folder would be, a name be longer than any. */
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]
/** Of one that leads to something. */
const UNUSABLE: readonly unknown[] = ["EACCES", "EPERM", "ELOOP", "ENXIO", "ENODEV"]

export type Reading = {
  /** Default: what can be read in a few ms; of {@link readLarge}, 2 GiB. */
  readonly bytesMax?: number
  /** False: a symbolic link is no plain file. Of folders above it none is looked at. */
  readonly follows?: boolean
}

/** @returns undefined where there is nothing. @throws {UnreadableFileError} */
export function readPlain(file: PathLike, reading: Reading = {}): Buffer | undefined {
  try {
    if (!isThere(file)) return undefined
    const handle = openSync(file, flagsOf(reading))
    try {
      assertPlain(file, fstatSync(handle), reading.bytesMax ?? BYTES_MAX)
      return readFileSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    return undefinedWhenAbsent(file, error)
  }
}

/** As {@link readPlain}. */
export function readPlainText(
  file: PathLike,
  encoding: "utf8" | "latin1" = "utf8",
): string | undefined {
  return readPlain(file)?.toString(encoding)
}

/** As {@link readPlain}. @returns undefined also where it cannot be read: then it says nothing. */
export function findPlain(file: PathLike, reading: Reading = {}): Buffer | undefined {
  try {
    return readPlain(file, reading)
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined
    throw error
  }
}

/** For what may be too large to stand still for. Outcomes as of {@link readPlain}. */
export async function readLarge(
  file: PathLike,
  reading: Reading = {},
): Promise<Buffer | undefined> {
  try {
    if (!isThere(file)) return undefined
    await using handle = await open(file, flagsOf(reading))
    assertPlain(file, await handle.stat(), reading.bytesMax ?? LARGE_BYTES_MAX)
    return await handle.readFile()
  } catch (error) {
    return undefinedWhenAbsent(file, error)
  }
}

/** Throws unless `found`, which is at `file`, is a plain file. @throws {UnreadableFileError} */
export function assertPlain(
  file: PathLike,
  found: Pick<Stats, "isFile" | "size">,
  bytesMax = LARGE_BYTES_MAX,
): void {
  if (!found.isFile()) throw new UnreadableFileError(file, "it is no plain file")
  if (found.size <= bytesMax) return
  throw new UnreadableFileError(file, `it has ${found.size} bytes, and ${bytesMax} are the most`)
}

/** In the place of what was there before, whole or not at all; through no link or pipe. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`
  rmSync(draft, { recursive: true, force: true })
  writeFileSync(draft, text, { flag: "wx" })
  renameSync(draft, file)
}

/** It waits for nobody. */
const flagsOf = ({ follows = true }: Reading): number =>
  constants.O_RDONLY | constants.O_NONBLOCK | (follows ? 0 : constants.O_NOFOLLOW)

/** Looked at first: to be told so by an exception takes ten times as long, and a device is not opened. */
function isThere(file: PathLike): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found) assertPlain(file, found, Number.POSITIVE_INFINITY)
  return found !== undefined
}

function undefinedWhenAbsent(file: PathLike, error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (ABSENT.includes(code)) return undefined
  if (UNUSABLE.includes(code)) throw new UnreadableFileError(file, `the system says ${code}`, error)
  throw error
}
