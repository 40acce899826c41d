/** Commit objects as text, one char per raw byte: authors and messages keep every byte. */

import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"

export type CommitParts = {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  /** `Name <email> seconds zone`. */
  readonly author: string
  readonly committer: string
  /** Raw bytes. */
  readonly message: string
  /** The message's encoding; UTF-8 if absent. */
  readonly encoding?: string | undefined
}

/** The object that git would store for these parts. */
export function formatCommit(parts: CommitParts): string {
  const lines = [
    `tree ${parts.tree}`,
    ...parts.parents.map((parent) => `parent ${parent}`),
    `author ${parts.author}`,
    `committer ${parts.committer}`,
    ...(parts.encoding ? [`encoding ${parts.encoding}`] : []),
  ]
  return `${lines.join("\n")}\n\n${parts.message}`
}

/** Stands for a missing author. Git accepts a handmade commit without one. */
const UNKNOWN_IDENT = "unknown <> 0 +0000"

/** Parses a commit object. Leaves signatures out, which would not fit another commit. */
export function parseCommit(raw: string): CommitParts {
  const end = raw.indexOf("\n\n")
  const lines = (end < 0 ? raw : raw.slice(0, end)).split("\n")
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
  const [[tree], [author = UNKNOWN_IDENT], [committer = UNKNOWN_IDENT], [encoding]] = [
    values("tree"),
    values("author"),
    values("committer"),
    values("encoding"),
  ]
  assert(tree !== undefined, "it is a commit")
  const parents = values("parent") as Oid[]
  const message = end < 0 ? "" : raw.slice(end + 2)
  return { tree: tree as Oid, parents, author, committer, message, encoding }
}
