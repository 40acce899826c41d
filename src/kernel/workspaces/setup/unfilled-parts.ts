/**
 * Finds what git left out of a worktree: empty submodules, and LFS pointers in place of files.
 *
 * Coppice does not fetch either; it names them and the command that does. See
 * docs/adr/0027-submodules-and-lfs-are-told.md.
 */
import { lstat, readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { listSubmodules } from "../../git/ask/gitmodules.ts"
import { listLfsFiles } from "../../git/ask/ls-files.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import { findPlain } from "../../process/plain-file.ts"

export type Unfilled = {
  readonly submodules: readonly string[]
  readonly pointers: readonly string[]
}

/** More than a person reads; each costs a disk access. */
const PATHS_MAX = 200
const ATTRIBUTES_BYTES_MAX = 1024 * 1024
/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const POINTER = "version https://git-lfs.github.com/spec/"
const POINTER_BYTES_MAX = 1024

/** Returns display paths. Looks for LFS files only if the root's `.gitattributes` mentions LFS. */
export async function findUnfilled(worktree: string): Promise<Unfilled> {
  const hasModules = await isPlain(join(worktree, ".gitmodules"))
  const modules = hasModules ? (await listSubmodules(worktree)).slice(0, PATHS_MAX) : []
  const files = namesLfs(worktree) ? (await listLfsFiles(worktree)).slice(0, PATHS_MAX) : []
  return {
    submodules: await those(modules, (path) => isEmptyFolder(worktree, path)),
    pointers: await those(files, async (path) => isPointer(worktree, path)),
  }
}

async function those(
  paths: readonly GitPath[],
  isOne: (path: GitPath) => Promise<boolean>,
): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) if (await isOne(path)) found.push(displayPath(path))
  return found
}

function namesLfs(worktree: string): boolean {
  const reading = { bytesMax: ATTRIBUTES_BYTES_MAX, follows: false }
  const text = findPlain(join(worktree, ".gitattributes"), reading)?.toString("latin1")
  return /\bfilter=lfs\b/.test(text ?? "")
}

async function isPlain(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined) // absent
  return found?.isFile() ?? false
}

/** False where a symbolic link leads the path elsewhere. */
async function isEmptyFolder(worktree: string, path: GitPath): Promise<boolean> {
  const folder = joinBytes(worktree, path)
  const real = await realpath(folder, "latin1").catch(() => undefined) // absent
  if (real !== `${Buffer.from(await realpath(worktree)).toString("latin1")}/${path}`) return false
  return (await readdir(folder).catch(() => ["no folder"])).length === 0
}

function isPointer(worktree: string, path: GitPath): boolean {
  const reading = { bytesMax: POINTER_BYTES_MAX, follows: false }
  return (
    findPlain(joinBytes(worktree, path), reading)?.toString("latin1").startsWith(POINTER) ?? false
  )
}
