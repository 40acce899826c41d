/**
 * Folders on their way out: renamed at once, deleted at leisure.
 *
 * A large worktree takes seconds to delete; renaming it takes none, and what is found under its
 * own name is therefore always whole. What a crash leaves is found by its name.
 */
import { randomBytes } from "node:crypto"
import { chmod, readdir, rename, rm } from "node:fs/promises"
import { basename, join } from "node:path"

const TRASH = /\.coppice-trash-[0-9a-f]{12}$/

export type Deletion =
  | { readonly kind: "deleted" }
  | { readonly kind: "left"; readonly error: Error }

/** Renames a folder, in its own parent. @returns its new path, or undefined if there is none. */
export async function moveToTrash(path: string): Promise<string | undefined> {
  const trash = `${path}.coppice-trash-${randomBytes(6).toString("hex")}`
  try {
    await rename(path, trash)
    return trash
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Deletes a folder, read-only folders in it too. Never rejects: what is left can wait. */
export async function deleteTrash(trash: string): Promise<Deletion> {
  try {
    await rm(trash, { recursive: true, force: true }).catch(async () => {
      await makeWritable(trash) // caches of some tools are read-only
      await rm(trash, { recursive: true, force: true })
    })
    return { kind: "deleted" }
  } catch (error) {
    return { kind: "left", error: error as Error }
  }
}

/** What earlier runs left to delete in a folder. */
export async function listTrash(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []) // no such folder: no trash
  return names.filter((name) => TRASH.test(basename(name))).map((name) => join(folder, name))
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
}
