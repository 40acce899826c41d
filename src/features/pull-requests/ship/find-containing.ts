/**
 * Proves that a target has the change of a merged pull request. The forge's word is not enough: only
 * then may the worktree go.
 */
import type { Oid } from "../../../base/ids.ts"
import { isAncestor } from "../../../kernel/git/ask/merge-base.ts"
import type { Remote } from "../../../kernel/git/ask/remote-branch.ts"
import { readCommit } from "../../../kernel/git/ask/rev-parse.ts"
import { fetchRef } from "../../../kernel/git/change/fetch.ts"
import { hasChangeOf } from "../../../kernel/git/change/has-change.ts"
import type { Configured, Step } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import type { Forge } from "../forges/forge.ts"
import type { Pull } from "../rules.ts"
import { network } from "./network-limits.ts"
import { fetchTarget } from "./remote.ts"

type Merged = { readonly pull: Pull; readonly remote: Remote; readonly forge: Forge }

type Contained =
  /** The target's commit that has the change. */
  | { readonly kind: "contained"; readonly commit: Oid }
  /** The target has the forge's merge commit, and neither that nor the pull request's head has the work. */
  | { readonly kind: "lost"; readonly merge: Oid }
  | { readonly kind: "unproved" }
  | { readonly kind: "failed"; readonly message: string }

/**
 * One of: the target has the work; or it has the forge's merge commit, and the head of the pull request
 * has the work. Then others pushed to its branch before it was squashed, and may have changed the work.
 */
export async function findContaining(
  step: Step<Configured>,
  repo: LandingRepo,
  { pull, remote, forge }: Merged,
): Promise<Contained> {
  const { path, head } = repo
  const fetched = await fetchTarget(step, repo, remote)
  if (fetched.kind === "failed") return fetched
  const { tip } = fetched
  if (!tip || !head) return { kind: "unproved" }
  const merge = await findMerge(path, pull, tip)
  const commit = merge ?? tip
  if ((await isAncestor(path, head, tip)) || (await hasWork(path, { at: commit, head })))
    return { kind: "contained", commit }
  if (merge === undefined) return { kind: "unproved" }
  if (!(await readCommit(path, pull.head)))
    await fetchRef(path, { remote, ref: forge.headRef(pull.number) }, network(step))
  if (!(await readCommit(path, pull.head))) return { kind: "unproved" }
  const isProved = await hasWork(path, { at: pull.head, head })
  return isProved ? { kind: "contained", commit } : { kind: "lost", merge }
}

/** The commit by which the forge says that it merged it, if the target has that. */
async function findMerge(path: string, { merge }: Pull, tip: Oid): Promise<Oid | undefined> {
  const isThere =
    merge !== null && (await readCommit(path, merge)) && (await isAncestor(path, merge, tip))
  return isThere ? merge : undefined
}

/**
 * One of: `at` contains the commit; it has each change of it under other ids; or merging it there
 * changes nothing (it was squashed).
 */
async function hasWork(
  repo: string,
  { at, head }: { readonly at: Oid; readonly head: Oid },
): Promise<boolean> {
  if (await isAncestor(repo, head, at)) return true
  return await hasChangeOf(repo, { target: at, commit: head })
}
