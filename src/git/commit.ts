/**
 * A commit of the index on whatever HEAD is, like `git commit`: without hooks, editor, signature,
 * template or clean-up of the message, and only if HEAD has not moved meanwhile.
 */
import type { Oid, RefName } from "../core/ids.ts"
import { commitTree } from "./commit-tree.ts"
import { readHead } from "./head.ts"
import { readTrees } from "./rev-parse.ts"
import { updateRef } from "./update-ref.ts"
import { writeTree } from "./write-tree.ts"

export type IndexCommit = {
  readonly message: string
  /** `Name <email> seconds zone`, raw bytes. Default: the configured identity, now. */
  readonly author?: string
}

export type Committed =
  | { readonly kind: "committed"; readonly commit: Oid }
  /** The index is HEAD's tree. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "stale" }
  | { readonly kind: "locked" }

/** @throws {IndexLockedError} @throws {GitError} while the index holds conflicts. */
export async function commitIndex(
  cwd: string,
  { message, ...who }: IndexCommit,
): Promise<Committed> {
  const [head, tree] = await Promise.all([readHead(cwd), writeTree(cwd)])
  const parent = head.commit
  const parents = parent === undefined ? [] : [parent]
  const [parentTree] = parents.length > 0 ? await readTrees(cwd, parents) : []
  if (parentTree === tree) return { kind: "unchanged" }
  const commit = await commitTree(cwd, { tree, parents, message, ...who })

  const ref = head.kind === "branch" ? head.ref : ("HEAD" as RefName)
  const reason = `commit: ${message.split("\n")[0]}`
  const { kind } = await updateRef(cwd, { ref, from: parent ?? null, to: commit, reason })
  return kind === "moved" ? { kind: "committed", commit } : { kind }
}
