/** `git ls-tree`: every file of a tree. */
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
