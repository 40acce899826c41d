/**
 * `refs/stash`: git's list of stashes, which all worktrees of a repository share.
 *
 * @see https://git-scm.com/docs/git-stash
 */
import type { Oid, RefName } from "../../../base/ids.ts"
import { type Commit, findCommits } from "./cat-file.ts"
import { type Reflogged, readReflog } from "./reflog.ts"
import { readCommit } from "./rev-parse.ts"

export const STASHES = "refs/stash" as RefName

export type Stash = {
  readonly oid: Oid
  /** The first line of its commit's message, as in the list. */
  readonly message: string
  /** The branch on which it was made; null: HEAD was detached; undefined: the message tells none. */
  readonly branch: string | null | undefined
  /** Where HEAD was. */
  readonly base: Oid
  /** A commit without parents that has the untracked files, after `git stash -u`. */
  readonly untracked: Oid | undefined
}

export type ListedStash = Stash & Pick<Reflogged, "atMs">

/** `WIP on <branch>: …`, or `On <branch>: <message>`. */
const MADE_ON = /^(?:WIP on|On) (?:(\(no branch\))|([^:]+)): /

/** Newest first. Another program's commits, which git cannot pop, are left out. */
export async function listStashes(repo: string): Promise<ListedStash[]> {
  if (!(await readCommit(repo, STASHES))) return []
  const entries = await readReflog(repo, STASHES)
  const found = await findStashes(
    repo,
    entries.map(({ oid }) => oid),
  )
  const byOid = new Map(found.map((stash) => [stash.oid, stash]))
  return entries.flatMap(({ oid, atMs }) => {
    const stash = byOid.get(oid)
    return stash ? [{ ...stash, atMs }] : []
  })
}

/** In the order asked. The ids of other objects are left out. */
export async function findStashes(repo: string, oids: readonly Oid[]): Promise<Stash[]> {
  return (await findCommits(repo, oids)).flatMap((commit) => parse(commit) ?? [])
}

function parse({ oid, parents: [base, index, untracked], raw }: Commit): Stash | undefined {
  if (!base || !index) return undefined
  const text = Buffer.from(raw.slice(raw.indexOf("\n\n") + 2), "latin1").toString("utf8")
  const [message = ""] = text.split("\n", 1)
  const [, detached, branch] = MADE_ON.exec(message) ?? []
  return { oid, message, branch: detached ? null : branch, base, untracked }
}
