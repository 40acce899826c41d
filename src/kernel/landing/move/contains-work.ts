/** The test whether a commit contains the work of another: in its history, or as the same files. */
import type { Oid } from "../../../base/ids.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { readTrees } from "../../git/ask/rev-parse.ts"

/** Whether `tip` has `head` in its history, or the same files. */
export async function holds(path: string, tip: Oid, head: Oid): Promise<boolean> {
  const [tree, itsTree] = await readTrees(path, [head, tip])
  return tree === itsTree || (await isAncestor(path, head, tip))
}
