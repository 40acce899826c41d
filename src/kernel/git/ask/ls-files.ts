/** `git ls-files`: the entries of the index, and all files that are work. */

import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/git-path.ts"
import { assertReadable } from "./linked-worktrees.ts"
import type { TreeEntry } from "./ls-tree.ts"
import { gitDir } from "./rev-parse.ts"
import { trueNames } from "./true-modes.ts"

/**
 * Tracked and untracked files below `cwd`, relative to it. Nested repositories, whose files are
 * not listed, are paths that end in `/`.
 */
export async function listWork(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const { stdout } = await git(cwd, args, { settings: await trueNames(cwd) })
  return splitZ(stdout) as GitPath[]
}

/** By path, without those in conflict. Runs in the worktree's root. */
export async function listStaged(
  cwd: string,
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<ReadonlyMap<GitPath, TreeEntry>> {
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z"], { env: indexEnv(indexFile) })
  const entries = splitZ(stdout).flatMap((line) => {
    const tab = line.indexOf("\t")
    const [mode = "", oid, stage] = line.slice(0, tab).split(" ")
    const path = line.slice(tab + 1) as GitPath
    return stage === "0" ? [{ path, mode, oid: oid as Oid }] : []
  })
  return new Map(entries.map((entry) => [entry.path, entry]))
}

export type IndexedPaths = ReadonlyMap<GitPath, "wanted" | "skipped">

/**
 * Conflicted paths are included. A sparse checkout does not write `skipped` files. Runs in the
 * worktree's root.
 */
export async function listIndexed(cwd: string): Promise<IndexedPaths> {
  const { stdout } = await git(cwd, ["ls-files", "-t", "-z"])
  return new Map(
    splitZ(stdout).map((line) => [
      line.slice(2) as GitPath,
      line.startsWith("S ") ? "skipped" : "wanted",
    ]),
  )
}

/** Tracked files of the worktree that have the attribute `filter=lfs`. */
export async function listLfsFiles(worktree: string): Promise<GitPath[]> {
  const { stdout } = await git(worktree, ["ls-files", "-z", "--", ":(top,attr:filter=lfs)"])
  return splitZ(stdout) as GitPath[]
}

/** Lower case: assume-unchanged; `S`: skip-worktree. */
const HIDDEN = /^[a-zS] /

/** The paths whose edits git ignores on request. Also works in a user's own checkout. */
export async function listHidden(
  cwd: string,
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<GitPath[]> {
  assertReadable(indexFile ?? join(await gitDir(cwd), "index"))
  const { stdout } = await git(cwd, ["ls-files", "-v", "-z"], { env: indexEnv(indexFile) })
  const lines = splitZ(stdout).filter((line) => HIDDEN.test(line))
  return lines.map((line) => line.slice(2) as GitPath)
}
