/**
 * Tells the stashes that an agent made from those of others.
 *
 * The message of a stash names the branch on which it was made, or no branch. For another branch
 * than the task's, the log of the worktree's HEAD must show that HEAD stood there at that time.
 */
import { basename } from "node:path"
import { branchOf, type RefName } from "../../../base/ids.ts"
import { type Reflogged, readReflog } from "../../git/ask/reflog.ts"
import type { ListedStash } from "../../git/ask/stashes.ts"

export type MadeAt = {
  readonly branch: string
  /** The worktree's own git directory; undefined if it is gone. */
  readonly gitDir: string | undefined
}

/** @returns the stashes that were made there, in their order. */
export async function listMadeAt(
  repo: string,
  stashes: readonly ListedStash[],
  { branch, gitDir }: MadeAt,
): Promise<ListedStash[]> {
  const isElsewhere = stashes.some((stash) => stash.branch !== branch)
  const log = gitDir !== undefined && isElsewhere ? await readReflog(repo, headOf(gitDir)) : []
  return stashes.filter((stash) => stash.branch === branch || stoodAt(log, stash, branch))
}

/** The name of a worktree's HEAD anywhere in its repository. */
const headOf = (gitDir: string) => `worktrees/${basename(gitDir)}/HEAD` as RefName

function stoodAt(log: readonly Reflogged[], { atMs, ...stash }: ListedStash, own: string): boolean {
  for (const [n, entry] of log.entries()) {
    if (entry.atMs > atMs) continue
    const at = nameAt(log.slice(n)) ?? own
    const isThere = stash.branch === null ? at !== own : at === stash.branch
    if (isThere && entry.oid === stash.base) return true
    if (entry.atMs < atMs) return false // times are whole seconds, so an equal one may be later
  }
  return false
}

const SWITCHED = /^checkout: moving from .+ to (.+)$/
const RETURNED = /^rebase.*: returning to (.+)$/

/** The last name that HEAD was moved to; undefined: it never moved. */
function nameAt(log: readonly Reflogged[]): string | undefined {
  for (const { reason } of log) {
    const ref = RETURNED.exec(reason)?.[1]
    if (ref !== undefined) return branchOf(ref as RefName)
    if (reason.startsWith("rebase")) return ""
    const name = SWITCHED.exec(reason)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}
