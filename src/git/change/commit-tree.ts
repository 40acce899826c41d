/**
 * Makes a commit of a tree that no ref points at.
 *
 * Does not run `git commit-tree`: it takes idents from the environment, which cannot carry bytes
 * that are not UTF-8. It also refuses authors without a name, which some commits have.
 */
import type { Oid } from "../../core/ids.ts"
import { identLine, readCommitter } from "../ask/identity.ts"
import { formatCommit } from "./commit-object.ts"
import { writeCommitObject } from "./hash-object.ts"

export type NewCommit = {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** Text. */
  readonly message: string
  /** `Name <email> seconds zone`, raw bytes. Default: the configured identity, now. */
  readonly author?: string
  readonly committer?: string
}

export async function commitTree(cwd: string, commit: NewCommit): Promise<Oid> {
  const { tree, parents, message } = commit
  const committer = commit.committer ?? identLine(await readCommitter(cwd), Date.now())
  const author = commit.author ?? committer
  const text = message.endsWith("\n") ? message : `${message}\n`
  const bytes = Buffer.from(text, "utf8").toString("latin1")
  const raw = formatCommit({ tree, parents, author, committer, message: bytes })
  return writeCommitObject(cwd, raw)
}
