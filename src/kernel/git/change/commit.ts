/**
 * Commits the index on top of HEAD, like `git commit`, but without hooks, editor, signature,
 * template or clean-up of the message. It changes nothing if HEAD moves at the same time.
 */
import type { Oid, RefName } from "../../../base/ids.ts"
import { readHead } from "../ask/head.ts"
import { readTrees } from "../ask/rev-parse.ts"
import { identLine, readCommitter } from "../ask/settings.ts"
import { formatCommit, writeCommitObject } from "./commit-objects.ts"
import { updateRef } from "./update-ref.ts"
import { writeTree } from "./write-tree.ts"

export type IndexCommit = {
  readonly message: string
  /** The branch that HEAD is on, and its commit, if the caller knows them. */
  readonly head?: { readonly ref: RefName; readonly commit: Oid }
  /** The tree of the index, if the caller has just written it. */
  readonly tree?: Oid
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
  { message, head: known, ...given }: IndexCommit,
): Promise<Committed> {
  const { commit: parent, ref } = known ?? (await readTip(cwd))
  const parents = parent === undefined ? [] : [parent]
  const trees = parent === undefined ? [] : readTrees(cwd, parents)
  const [tree, [parentTree]] = await Promise.all([given.tree ?? writeTree(cwd), trees])
  if (parentTree === tree) return { kind: "unchanged" }
  const committer = identLine(await readCommitter(cwd), Date.now())
  const { author = committer } = given
  const raw = formatCommit({ tree, parents, author, committer, message: asBytes(message) })
  const commit = await writeCommitObject(cwd, raw)

  const reason = `commit: ${message.split("\n")[0]}`
  const { kind } = await updateRef(cwd, { ref, from: parent ?? null, to: commit, reason })
  return kind === "moved" ? { kind: "committed", commit } : { kind }
}

const asBytes = (message: string): string =>
  Buffer.from(message.endsWith("\n") ? message : `${message}\n`, "utf8").toString("latin1")

async function readTip(cwd: string): Promise<{ ref: RefName; commit: Oid | undefined }> {
  const head = await readHead(cwd)
  return { ref: head.kind === "branch" ? head.ref : ("HEAD" as RefName), commit: head.commit }
}
