/** Limits what is saved of a worktree, which may hold more than anyone wants to keep. */
import { lstat } from "node:fs/promises"
import type { GitPath } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { displayPath, joinBytes } from "../../git/start/git-path.ts"
import { WorkspaceError } from "../errors.ts"

/** More than people write, less than a build leaves. */
const FILES_MAX = 20_000
const BYTES_MAX = 512 * 1024 * 1024
/** Files named in the error. */
const NAMED_MAX = 3

/**
 * @param purpose the act that these files are too much for, such as "a rescue".
 * @throws {WorkspaceError} `workspace.rescue_too_large`, naming the largest files; if there are too
 *   many, the first ones.
 */
export async function refuseTooMuch(
  worktree: string,
  paths: readonly GitPath[],
  purpose: string,
): Promise<void> {
  const refusal = { worktree, purpose }
  if (paths.length > FILES_MAX) throw tooLarge(refusal, `${paths.length} files`, paths)
  const { bytes, bySizeDesc } = await measureFiles(worktree, paths)
  if (bytes > BYTES_MAX)
    throw tooLarge(refusal, `${Math.ceil(bytes / 1024 / 1024)} MiB`, bySizeDesc)
}

/** The disk space of these files, and their paths, the largest first. */
export async function measureFiles(
  worktree: string,
  paths: readonly GitPath[],
): Promise<{ readonly bytes: number; readonly bySizeDesc: readonly GitPath[] }> {
  const sizes: { path: GitPath; bytes: number }[] = []
  for (const path of paths) sizes.push({ path, bytes: await sizeOf(joinBytes(worktree, path)) })
  const bytes = sizes.reduce((sum, file) => sum + file.bytes, 0)
  return { bytes, bySizeDesc: sizes.sort((a, b) => b.bytes - a.bytes).map(({ path }) => path) }
}

async function sizeOf(path: Buffer): Promise<number> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error
  })
  return found?.isFile() ? found.size : 0
}

function tooLarge(
  { worktree, purpose }: { readonly worktree: string; readonly purpose: string },
  amount: string,
  paths: readonly GitPath[],
): WorkspaceError {
  const some = paths.slice(0, NAMED_MAX).map(displayPath).join(", ")
  const named = paths.length > NAMED_MAX ? `${some}, …` : some
  return new WorkspaceError(
    "workspace.rescue_too_large",
    `${worktree} holds ${amount} that are in no commit, more than ${purpose} takes (${named}).`,
    [
      "Delete what is not needed there, or list it in .gitignore.",
      `Or commit what is needed: \`git -C ${shellWord(worktree)} commit\`.`,
    ],
  )
}
