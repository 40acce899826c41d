/**
 * Lists files that Coppice or set-up put into a worktree. They are not work: change/note-made.ts
 * notes them in an index of their own.
 *
 * `update-index --info-only` notes path, object id and times without writing an object. So 50,000
 * files cost no space in the repository. `git diff-files` finds by their times the files that may have
 * changed, and we read only those. The note lies in the worktree's git directory and goes with it.
 */
import { lstatSync } from "node:fs"
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { assertPlain } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch-folder.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { copyIndex } from "./index-file.ts"
import { gitDir } from "./rev-parse.ts"

export const MADE_FILE = "coppice-made"

export type MadeFile = { readonly mode: string; readonly oid: Oid }

/** The noted files, each with its mode and content when it was noted. */
export async function listMade(cwd: string): Promise<ReadonlyMap<GitPath, MadeFile>> {
  const file = await findFile(cwd)
  if (!file) return new Map()
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z"], { env: indexEnv(file) })
  return new Map(
    splitZ(stdout).map((line) => {
      const tab = line.indexOf("\t")
      const [mode = "", oid] = line.slice(0, tab).split(" ")
      return [line.slice(tab + 1) as GitPath, { mode, oid: oid as Oid }]
    }),
  )
}

/** The noted files that are unchanged, even if a tool wrote the same content again. */
export async function listUnchangedMade(cwd: string): Promise<ReadonlySet<GitPath>> {
  const file = await findFile(cwd)
  if (!file) return new Set()
  const [made, edited] = await Promise.all([
    git(cwd, ["ls-files", "-z"], { env: indexEnv(file) }),
    listEdited(cwd, file),
  ])
  const unchanged = new Set(splitZ(made.stdout) as GitPath[])
  for (const path of edited) unchanged.delete(path as GitPath)
  return unchanged
}

/** `diff-files` compares times. If they differ, a refreshed copy of the index decides. */
async function listEdited(cwd: string, file: string): Promise<string[]> {
  const changed = await listChanged(cwd, file)
  if (changed.length === 0) return changed
  using scratch = makeScratch()
  const copy = join(scratch.path, MADE_FILE)
  await copyIndex(file, copy)
  const options = { env: indexEnv(copy), answers: [0, 1] }
  await git(cwd, ["update-index", "-q", "--refresh"], options)
  return await listChanged(cwd, copy)
}

async function listChanged(cwd: string, file: string): Promise<string[]> {
  const args = ["diff-files", "--name-only", "-z", "--ignore-submodules=dirty"]
  return splitZ((await git(cwd, args, { env: indexEnv(file) })).stdout)
}

/** @throws {UnreadableFileError} if it is not a plain file. */
async function findFile(cwd: string): Promise<string | undefined> {
  const file = join(await gitDir(cwd), MADE_FILE)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found) assertPlain(file, found)
  return found && file
}
