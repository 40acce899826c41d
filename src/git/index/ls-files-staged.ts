/** Entries of the index: as its file says, or `git ls-files --stage`. */
import { join } from "node:path"
import type { GitPath, Oid } from "../../core/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { git } from "../exec.ts"
import { splitZ } from "../path.ts"
import { gitDir } from "../repository/rev-parse.ts"
import type { TreeEntry } from "../trees/ls-tree.ts"
import { contentOf, readEntries } from "./index-entries.ts"

/**
 * Entries at these paths, but not those in conflict. Runs in the worktree's root.
 *
 * @param paths awaited while the index is read.
 */
export async function listStaged(
  cwd: string,
  paths: Promise<readonly GitPath[]>,
): Promise<ReadonlyMap<GitPath, TreeEntry>> {
  const bytes = await readLarge(join(await gitDir(cwd), "index"))
  const entries = bytes && readEntries(bytes)
  const wanted = new Set(await paths)
  if (!entries) return await askStaged(cwd, wanted)
  const found = new Map<GitPath, TreeEntry>()
  for (const entry of entries) {
    const { path } = entry
    if (!wanted.has(path)) continue
    const { mode, oid, isInConflict } = contentOf(bytes, entry)
    if (!isInConflict) found.set(path, { path, mode, oid })
  }
  return found
}

async function askStaged(
  cwd: string,
  wanted: ReadonlySet<GitPath>,
): Promise<ReadonlyMap<GitPath, TreeEntry>> {
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z"])
  const entries = splitZ(stdout).flatMap((line) => {
    const tab = line.indexOf("\t")
    const [mode = "", oid, stage] = line.slice(0, tab).split(" ")
    const path = line.slice(tab + 1) as GitPath
    return wanted.has(path) && stage === "0" ? [{ path, mode, oid: oid as Oid }] : []
  })
  return new Map(entries.map((entry) => [entry.path, entry]))
}
