/** `git ls-tree`: the names in one folder of a commit. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"
import type { FoundObject } from "./object-answers.ts"
import { askObjects } from "./object-reader.ts"

/**
 * Files and folders, by their paths from the root.
 *
 * @param folder empty for the root, else a path that ends in `/`.
 */
export async function listNames(cwd: string, commit: Oid, folder: string): Promise<string[]> {
  const name = folder === "" ? `${commit}^{tree}` : `${commit}:${folder.slice(0, -1)}`
  const [tree] = (await askObjects(cwd, [{ verb: "contents", name }])) ?? []
  if (tree?.type === "tree") return entryNames(tree).map((entry) => `${folder}${entry}`)
  const args = ["ls-tree", "-z", "--name-only", "--full-tree", commit, "--", folder].filter(Boolean)
  return splitZ((await git(cwd, args)).stdout)
}

/** A tree object is a row of `<mode> <name>\0<object id as bytes>`. */
function entryNames({ content, oid }: FoundObject): string[] {
  const names: string[] = []
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf("\0", at)
    names.push(content.slice(content.indexOf(" ", at) + 1, end))
    at = end + 1 + oid.length / 2
  }
  return names
}
