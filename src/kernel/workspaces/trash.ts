/**
 * Deletes folders in two steps: renames at once, deletes in the background.
 *
 * Deleting a large worktree takes seconds, renaming it does not. So a folder under its own name is
 * always complete. The caller records the new name first: a name alone proves nothing.
 */
import { randomBytes } from "node:crypto"
import { unlinkSync } from "node:fs"
import { chmod, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises"
import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { AppError, isTransient } from "../../base/errors.ts"
import { untilAborted } from "../../base/until-aborted.ts"

/**
 * How long we delete synchronously before we yield. Handing each file to a thread costs four times
 * as much as deleting it.
 */
const SLICE_MS = 1

/** The last deletion; they run one at a time. Never rejects. */
let last: Promise<unknown> = Promise.resolve()

/** The system refuses to move a folder: something is mounted there, or its parent is read-only. */
export class FolderStaysError extends AppError {
  constructor(folder: string, cause: NodeJS.ErrnoException) {
    const message = `${folder} cannot be removed: the system says ${cause.code ?? cause.message}.`
    super("git.folder_stays", "world", message, { cause })
  }
}

export type TrashDeletion =
  | { readonly kind: "deleted" }
  | { readonly kind: "left"; readonly error: Error }

/** A new name for a folder, in its own parent. */
export const trashName = (path: string): string =>
  `${path}.coppice-trash-${randomBytes(6).toString("hex")}`

/**
 * Renames a folder. A missing folder is fine.
 *
 * @throws {FolderStaysError} if it cannot be renamed; nothing has changed then.
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
 * Deletes a folder, with read-only folders in it. Never rejects: leftovers can wait.
 *
 * @param signal stops it between two files, which `rm` could not, and while it waits for others.
 */
export async function deleteTrash(trash: string, signal?: AbortSignal): Promise<TrashDeletion> {
  const deletion = last.then(() => deleteEntry(Buffer.from(trash), signal))
  last = deletion
  if (!signal) return await deletion
  return await untilAborted(deletion, signal).catch((error) => ({ kind: "left", error }))
}

/** The same for any file or folder, by the bytes of its path. Deletes a link, never its target. */
export async function deleteEntry(trash: Buffer, signal?: AbortSignal): Promise<TrashDeletion> {
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
  // Some tools make their caches read-only. If chmod fails, the calls below report the reason.
  await Promise.allSettled([chmod(folder, 0o700)])
  const entries = await unlessGone(readdir(folder, { encoding: "buffer", withFileTypes: true }))
  let untilMs = performance.now() + SLICE_MS
  for (const entry of entries ?? []) {
    if (performance.now() > untilMs) {
      await yieldToEventLoop()
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
