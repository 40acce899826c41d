/**
 * Reads and writes small files that an agent, a cloned repository or another program may have
 * replaced.
 *
 * Opening a pipe waits for a writer, perhaps for ever; opening a device may have effects; a file
 * may be larger than memory. These functions refuse all of that. Every file that an agent or a
 * repository can reach is read here, as test/tidy.test.ts checks.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  type PathLike,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { open } from "node:fs/promises"
import { join, relative } from "node:path"
import type { FileBytes, FileText } from "../../base/text/file-text.ts"
import { UnreadableFileError } from "./errors.ts"

/** Reading this much synchronously blocks the event loop for a few ms only. */
const BYTES_MAX = 16 * 1024 * 1024
/** The most that Node reads into memory at once. */
const LARGE_BYTES_MAX = 2 ** 31 - 1
/** The path leads nowhere: a parent may be a file, or the name may be too long. */
const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]
/** The path leads to something that we cannot use. */
const UNUSABLE: readonly unknown[] = ["EACCES", "EPERM", "ELOOP", "ENXIO", "ENODEV"]

export type Reading = {
  /** Default: what can be read in a few ms; for {@link readLarge}, 2 GiB. */
  readonly bytesMax?: number
  /** False: a symbolic link is not a plain file. Links in parent folders are followed anyway. */
  readonly follows?: boolean
  /** For {@link readLarge}: no folder below this one is a link, even if a program changes it just now. */
  readonly within?: string
  /** The file's status, if the caller has just asked for it. */
  readonly found?: Stats
}

/** @returns undefined if there is nothing. @throws {UnreadableFileError} */
export function readPlain(file: PathLike, reading: Reading = {}): FileBytes | undefined {
  try {
    if (!isThere(file, reading.found)) return undefined
    const handle = openSync(file, flagsOf(reading))
    try {
      assertPlain(file, fstatSync(handle), reading.bytesMax ?? BYTES_MAX)
      return readFileSync(handle) as FileBytes
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    return undefinedWhenAbsent(file, error)
  }
}

/** Like {@link readPlain}. */
export function readPlainText(
  file: PathLike,
  encoding: "utf8" | "latin1" = "utf8",
): FileText | undefined {
  return readPlain(file)?.toString(encoding)
}

/** Like {@link readPlain}. @returns undefined also if the file cannot be read. */
export function findPlain(file: PathLike, reading: Reading = {}): FileBytes | undefined {
  try {
    return readPlain(file, reading)
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined
    throw error
  }
}

/** For a file too large to read synchronously. Otherwise like {@link readPlain}. */
export async function readLarge(
  file: PathLike,
  reading: Reading = {},
): Promise<FileBytes | undefined> {
  try {
    if (!isThere(file)) return undefined
    await using handle = await open(file, flagsOf(reading))
    assertPlain(file, await handle.stat(), reading.bytesMax ?? LARGE_BYTES_MAX)
    if (reading.within !== undefined) assertWithin(String(file), reading.within, handle.fd)
    return (await handle.readFile()) as FileBytes
  } catch (error) {
    return undefinedWhenAbsent(file, error)
  }
}

/** A program can put a link there between a look and the opening. So the open file says where it is. */
function assertWithin(file: string, folder: string, fd: number): void {
  const expected = join(realpathSync(folder), relative(folder, file))
  const opened =
    process.platform === "linux" ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(file)
  if (opened !== expected) throw new UnreadableFileError(file, "a link leads to it")
}

/** Checks that `found`, the status of `file`, is a plain file. @throws {UnreadableFileError} */
export function assertPlain(
  file: PathLike,
  found: Pick<Stats, "isFile" | "size">,
  bytesMax = LARGE_BYTES_MAX,
): void {
  if (!found.isFile()) throw new UnreadableFileError(file, "it is not a plain file")
  if (found.size <= bytesMax) return
  throw new UnreadableFileError(
    file,
    `it has ${found.size} bytes, more than the limit of ${bytesMax}`,
  )
}

/** Replaces the file atomically; never writes through a link or into a pipe. */
export function writeWhole(file: string, text: string | Uint8Array): void {
  const draft = `${file}.new`
  rmSync(draft, { recursive: true, force: true })
  writeFileSync(draft, text, { flag: "wx" })
  renameSync(draft, file)
}

/** O_NONBLOCK: opening a pipe must not wait. */
const flagsOf = ({ follows = true }: Reading): number =>
  constants.O_RDONLY | constants.O_NONBLOCK | (follows ? 0 : constants.O_NOFOLLOW)

/** Checked first: an exception takes ten times as long, and a device must not be opened. */
function isThere(file: PathLike, known?: Stats): boolean {
  const found = known ?? statSync(file, { throwIfNoEntry: false })
  if (found) assertPlain(file, found, Number.POSITIVE_INFINITY)
  return found !== undefined
}

function undefinedWhenAbsent(file: PathLike, error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (ABSENT.includes(code)) return undefined
  if (UNUSABLE.includes(code))
    throw new UnreadableFileError(file, `the system reports ${code}`, error)
  throw error
}
