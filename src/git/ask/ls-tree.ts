/** `git ls-tree`: the files of a tree or commit. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

export type TreeEntry = { readonly path: GitPath; readonly mode: string; readonly oid: Oid }

/** Files, links and submodules of a tree or commit, in all folders. */
export async function listTree(cwd: string, treeish: Oid): Promise<TreeEntry[]> {
  const { stdout } = await git(cwd, ["ls-tree", "-r", "-z", "--full-tree", treeish])
  return splitZ(stdout).map((line) => {
    const tab = line.indexOf("\t")
    const [mode = "", , oid] = line.slice(0, tab).split(" ")
    return { path: line.slice(tab + 1) as GitPath, mode, oid: oid as Oid }
  })
}

/** Keeps the command line well below every system's limit. */
const PATHS_PER_CALL = 200

/** Files at or below `paths`; costs what these hold, and not what the commit does. */
export async function listTreeBelow(
  cwd: string,
  commit: Oid,
  paths: readonly string[],
): Promise<GitPath[]> {
  const found: GitPath[] = []
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const some = paths.slice(at, at + PATHS_PER_CALL)
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", ...some]
    found.push(...(splitZ((await git(cwd, args)).stdout) as GitPath[]))
  }
  return found
}

/**
 * Files and folders, by their paths from the root.
 *
 * @param folder empty for the root, else a path that ends in `/`.
 */
export async function listNames(cwd: string, commit: Oid, folder: string): Promise<string[]> {
  const args = ["ls-tree", "-z", "--name-only", "--full-tree", commit, "--", folder].filter(Boolean)
  return splitZ((await git(cwd, args)).stdout)
}
