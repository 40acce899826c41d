/**
 * A commit of the index on whatever HEAD is, like `git commit`: without hooks, editor, signature,
 * template or clean-up of the message, and only if HEAD has not moved meanwhile.
 */
import type { Oid, RefName } from "../core/ids.ts"
import { commitTree } from "./commit-tree.ts"
import { readHead } from "./head.ts"
import { identLine, readCommitter } from "./identity.ts"
import { readTrees } from "./rev-parse.ts"
import { updateRef } from "./update-ref.ts"
import { writeTree } from "./write-tree.ts"

export type IndexCommit = {
  readonly message: string
  /** The branch that HEAD is on, and its commit, where the caller knows them. */
  readonly head?: { readonly ref: RefName; readonly commit: Oid }
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
  { message, head: known, ...who }: IndexCommit,
): Promise<Committed> {
  const { commit: parent, ref } = known ?? (await readTip(cwd))
  const parents = parent === undefined ? [] : [parent]
  const trees = parent === undefined ? [] : readTrees(cwd, parents)
  const [tree, [parentTree], ident] = await Promise.all([writeTree(cwd), trees, readCommitter(cwd)])
  if (parentTree === tree) return { kind: "unchanged" }
  const committer = identLine(ident, Date.now())
  const commit = await commitTree(cwd, { tree, parents, message, committer, ...who })

  const reason = `commit: ${message.split("\n")[0]}`
  const { kind } = await updateRef(cwd, { ref, from: parent ?? null, to: commit, reason })
  return kind === "moved" ? { kind: "committed", commit } : { kind }
}

async function readTip(cwd: string): Promise<{ ref: RefName; commit: Oid | undefined }> {
  const head = await readHead(cwd)
  return { ref: head.kind === "branch" ? head.ref : ("HEAD" as RefName), commit: head.commit }
}
