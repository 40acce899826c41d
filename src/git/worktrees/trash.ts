/**
 * Folders on their way out: renamed at once, deleted at leisure.
 *
 * A large worktree takes seconds to delete; renaming it takes none, and what is found under its
 * own name is therefore always whole. The caller records the new name first: a name alone proves nothing.
 */
import { randomBytes } from "node:crypto"
import { unlinkSync } from "node:fs"
import { chmod, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises"
import { setImmediate as othersTurn } from "node:timers/promises"
import { AppError, isTransient } from "../../core/errors.ts"

/**
 * For so long files go one after another before anything else gets its turn. To hand each to a
 * thread costs four times as much as to delete it, while a job or a landing wants the core.
 */
const SLICE_MS = 1

/** The last of the folders on their way out, which go one at a time; never rejects. */
let last: Promise<unknown> = Promise.resolve()

/** The system does not let a folder go: something is mounted there, or nobody may write around it. */
export class FolderStaysError extends AppError {
  override readonly name = "FolderStaysError"
  readonly code = "git.folder_stays"
  readonly blame = "world"

  constructor(folder: string, cause: NodeJS.ErrnoException) {
    super(`${folder} cannot be removed: the system says ${cause.code ?? cause.message}.`, { cause })
  }
}

export type Deletion =
  | { readonly kind: "deleted" }
  | { readonly kind: "left"; readonly error: Error }

/** A new name for a folder, in its own parent. */
export const trashName = (path: string): string =>
  `${path}.coppice-trash-${randomBytes(6).toString("hex")}`

/**
 * Renames a folder; one that is gone already is fine.
 *
 * @throws {FolderStaysError} when it cannot be renamed; it is as it was.
 */
export async function moveToTrash(path: string, trash: string): Promise<void> {
  try {
    await rename(path, trash)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return
    throw isTransient(error) ? error : new FolderStaysError(path, error as NodeJS.ErrnoException)
  }
}

/**
 * Deletes a folder, read-only folders in it too. Never rejects: what is left can wait.
 *
 * @param signal stops it between two files, which `rm` could not.
 */
export function deleteTrash(trash: string, signal?: AbortSignal): Promise<Deletion> {
  const deletion = last.then(() => deleteEntry(Buffer.from(trash), signal))
  last = deletion
  return deletion
}

/** The same of any file or folder, by the bytes of its path; a link goes, and not where it leads. */
export async function deleteEntry(trash: Buffer, signal?: AbortSignal): Promise<Deletion> {
  try {
    const found = await unlessGone(lstat(trash))
    if (found?.isDirectory()) await deleteFolder(trash, signal)
    else if (found) await unlessGone(unlink(trash))
    return { kind: "deleted" }
  } catch (error) {
    return { kind: "left", error: error as Error }
  }
}

/** @param folder raw bytes, as names need not be UTF-8. Others may be deleting the same one. */
async function deleteFolder(folder: Buffer, signal: AbortSignal | undefined): Promise<void> {
  // Caches of some tools are read-only. What keeps us out all the same, reading and deleting tell.
  await Promise.allSettled([chmod(folder, 0o700)])
  const entries = await unlessGone(readdir(folder, { encoding: "buffer", withFileTypes: true }))
  let untilMs = performance.now() + SLICE_MS
  for (const entry of entries ?? []) {
    if (performance.now() > untilMs) {
      await othersTurn()
      untilMs = performance.now() + SLICE_MS
    }
    signal?.throwIfAborted()
    const path = Buffer.concat([folder, Buffer.from("/"), entry.name])
    if (entry.isDirectory()) await deleteFolder(path, signal)
    else await unlessGone(unlinkNow(path))
  }
  await unlessGone(rmdir(folder))
}

const unlinkNow = async (path: Buffer): Promise<void> => unlinkSync(path)

async function unlessGone<T>(done: Promise<T>): Promise<T | undefined> {
  try {
    return await done
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
