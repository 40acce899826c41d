/** `git merge-tree --stdin`: many merges into one commit, in one process. Writes objects only. */
import type { Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

/** What git says of a clean merge: `1`, the tree, and the end of the record. */
const FIELDS_PER_MERGE = 3

/**
 * Merges each of `theirs` into `ours`, from the merge base that git finds for the two. Only for
 * sides that touch different files: contents would be merged by whatever attributes lie around.
 *
 * @returns the trees, in the order asked; undefined when any of them conflicts.
 */
export async function mergeEach(
  cwd: string,
  ours: Oid,
  theirs: readonly Oid[],
): Promise<Oid[] | undefined> {
  const stdin = theirs.map((commit) => `${ours} ${commit}\n`).join("")
  const args = ["merge-tree", "--write-tree", "--stdin", "--no-messages"]
  const { stdout } = await git(cwd, args, { stdin })
  const fields = stdout.split("\0")
  const trees: Oid[] = []
  for (let at = 0; trees.length < theirs.length; at += FIELDS_PER_MERGE) {
    const [isClean, tree, end] = fields.slice(at, at + FIELDS_PER_MERGE)
    if (isClean !== "1" || !tree || end !== "") return undefined
    trees.push(tree as Oid)
  }
  return trees
}
