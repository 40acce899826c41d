/** Keeps rescues from filling the disk: a worktree may hold more than anyone wants to keep. */
import { lstat } from "node:fs/promises"
import type { GitPath } from "../../core/ids.ts"
import { shellWord } from "../../core/text/shell-word.ts"
import { displayPath, joinBytes } from "../../git/start/path.ts"
import { WorkspaceError } from "../errors.ts"

/** More than people write, less than a build leaves. */
const FILES_MAX = 20_000
const BYTES_MAX = 512 * 1024 * 1024
/** Files named in the error. */
const NAMED_MAX = 3

/** @throws {WorkspaceError} `workspace.rescue_too_large`, naming the largest files. */
export async function assertBounded(worktree: string, paths: readonly GitPath[]): Promise<void> {
  if (paths.length > FILES_MAX) throw tooLarge(worktree, `${paths.length} files`, paths)
  const { bytes, largest } = await measureFiles(worktree, paths)
  if (bytes > BYTES_MAX) throw tooLarge(worktree, `${Math.ceil(bytes / 1024 / 1024)} MiB`, largest)
}

/** The disk space of these files, and the largest of them. */
export async function measureFiles(
  worktree: string,
  paths: readonly GitPath[],
): Promise<{ readonly bytes: number; readonly largest: readonly GitPath[] }> {
  const sizes: { path: GitPath; bytes: number }[] = []
  for (const path of paths) sizes.push({ path, bytes: await sizeOf(joinBytes(worktree, path)) })
  const bytes = sizes.reduce((sum, file) => sum + file.bytes, 0)
  return { bytes, largest: sizes.sort((a, b) => b.bytes - a.bytes).map(({ path }) => path) }
}

async function sizeOf(path: Buffer): Promise<number> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
  })
  return found?.isFile() ? found.size : 0
}

function tooLarge(worktree: string, amount: string, paths: readonly GitPath[]): WorkspaceError {
  const named = paths.slice(0, NAMED_MAX).map(displayPath).join(", ")
  return new WorkspaceError(
    "workspace.rescue_too_large",
    `${worktree} holds ${amount} that are in no commit, more than a rescue takes (${named}, …).`,
    [
      "Delete what is not needed there, or list it in .gitignore.",
      `Or commit what is needed: \`git -C ${shellWord(worktree)} commit\`.`,
    ],
  )
}
