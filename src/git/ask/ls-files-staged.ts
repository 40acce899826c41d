/** `git ls-files --stage`: entries of the index. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"
import type { TreeEntry } from "./ls-tree.ts"

/** By path, without those in conflict. Runs in the worktree's root. */
export async function listStaged(cwd: string): Promise<ReadonlyMap<GitPath, TreeEntry>> {
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z"])
  const entries = splitZ(stdout).flatMap((line) => {
    const tab = line.indexOf("\t")
    const [mode = "", oid, stage] = line.slice(0, tab).split(" ")
    const path = line.slice(tab + 1) as GitPath
    return stage === "0" ? [{ path, mode, oid: oid as Oid }] : []
  })
  return new Map(entries.map((entry) => [entry.path, entry]))
}
