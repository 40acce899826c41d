/**
 * Remembers files that Coppice or set-up put into a worktree, in an index of their own. They are
 * not work.
 *
 * `update-index --info-only` notes path, object id and times without writing an object. So 50,000
 * files cost no space in the repository. `git diff-files` finds by their times the files that may have
 * changed, and we read only those. The note lies in the worktree's git directory and goes with it.
 */
import { existsSync, lstatSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { GitPath, Oid } from "../../core/ids.ts"
import { assertPlain } from "../../process/plain-file.ts"
import { makeScratch } from "../../process/scratch.ts"
import { git } from "../exec.ts"
import { splitZ } from "../path.ts"
import { gitDir } from "../repository/rev-parse.ts"
import { assertOwnGitDir } from "../worktrees/worktree-of.ts"
import { listBeyondLinks } from "./beyond-links.ts"
import { indexEnv } from "./index-lock.ts"
import { copyIndex } from "./own-index.ts"

const FILE = "coppice-made"

/** Adds these files to the note as they are now. Runs in the worktree's root. */
export async function noteMade(cwd: string, paths: readonly GitPath[]): Promise<void> {
  if (paths.length === 0) return
  assertOwnGitDir(cwd)
  const file = join(await gitDir(cwd), FILE)
  const next = `${file}.next`
  for (const left of [next, `${next}.lock`]) rmSync(left, { force: true }) // left by a killed process
  await copyIndex(file, next)
  const args = ["update-index", "--info-only", "--add", "--remove", "--replace", "-z", "--stdin"]
  const beyond = new Set(listBeyondLinks(cwd, paths))
  const there = paths.filter((path) => !beyond.has(path))
  const stdin = Buffer.from(there.map((path) => `${path}\0`).join(""), "latin1")
  await git(cwd, args, { stdin, env: indexEnv(next) })
  if (existsSync(next)) renameSync(next, file)
}

export type MadeFile = { readonly mode: string; readonly oid: Oid }

/** All that is noted, each with its mode and content at that time. */
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

/** The noted files that are unchanged, also if a tool wrote the same content again. */
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
  const copy = join(scratch.path, FILE)
  await copyIndex(file, copy)
  const options = { env: indexEnv(copy), answers: [0, 1] }
  await git(cwd, ["update-index", "-q", "--refresh"], options)
  return await listChanged(cwd, copy)
}

async function listChanged(cwd: string, file: string): Promise<string[]> {
  const args = ["diff-files", "--name-only", "-z"]
  return splitZ((await git(cwd, args, { env: indexEnv(file) })).stdout)
}

/** @throws {UnreadableFileError} if it is not a plain file. */
async function findFile(cwd: string): Promise<string | undefined> {
  const file = join(await gitDir(cwd), FILE)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found) assertPlain(file, found)
  return found && file
}
