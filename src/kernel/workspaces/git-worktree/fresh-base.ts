/** Finds the commit that new work starts from, after a fetch if one is configured. */

import { branchOf, branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { listConfig } from "../../git/ask/config.ts"
import { readAlias } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { countMissing } from "../../git/ask/object-sizes.ts"
import { findRenamed } from "../../git/ask/reflog.ts"
import { readTracking, type Tracking, trackingKeys } from "../../git/ask/remote.ts"
import type { Repository } from "../../git/ask/repository.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { CHECKOUT_KEYS, type CheckoutConfig } from "../../git/ask/true-modes.ts"
import { GitError } from "../../git/start/errors.ts"
import { WorkspaceError } from "../errors.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { fetchFirst } from "./fetch-first.ts"
import { inspections } from "./inspections.ts"

type Request = Pick<WorkspaceRequest, "target" | "fetch" | "signal" | "start">

/** Includes the configuration, which the same git reads. */
export type FreshBase = Base &
  Pick<TargetSettings, "checkout"> & {
    /** The target's commit, or that of its upstream: see {@link readBase}. */
    readonly target: Oid
  }

/** @throws {WorkspaceError} as {@link readBase}; {Error} the reason of `signal`. */
export async function readFreshBase(
  repository: Repository,
  { target, fetch, signal, start }: Request,
): Promise<FreshBase> {
  const { tracking, checkout } = await readTargetSettings(repository.root, target)
  const notices = fetch ? await fetchFirst(repository, tracking, signal) : []
  const base = await readBase(repository.root, target, tracking.upstream)
  const commit = start ?? base.commit
  return { commit, target: base.commit, checkout, notices: [...notices, ...base.notices] }
}

type TargetSettings = {
  readonly tracking: Tracking
  readonly checkout: CheckoutConfig
}

/** Calls that have not started git yet, by repository and branch; later callers share them. */
const waiting = new Map<string, Promise<TargetSettings>>()

/**
 * Reads the configuration for a set-up, in one git command. A new worktree has that of the main one.
 */
function readTargetSettings(repo: string, target: string): Promise<TargetSettings> {
  const key = `${repo}\0${target}`
  const shared = waiting.get(key) ?? begin(key, () => ask(repo, target))
  waiting.set(key, shared)
  return shared
}

async function begin(
  key: string,
  question: () => Promise<TargetSettings>,
): Promise<TargetSettings> {
  await Promise.resolve() // simultaneous callers have joined by now
  return await inspections.run(() => {
    waiting.delete(key)
    return question()
  })
}

async function ask(repo: string, target: string): Promise<TargetSettings> {
  const config = await listConfig(repo, `^(${CHECKOUT_KEYS}|${trackingKeys(target)})$`)
  const tracking = await readTracking(repo, target, config)
  return { tracking, checkout: config }
}

type Base = { readonly commit: Oid; readonly notices: readonly string[] }

/**
 * The local target, or its upstream if that is strictly ahead; local if they have diverged.
 *
 * @param upstreamName the branch that the target tracks; it need not exist.
 * @throws {WorkspaceError} `workspace.no_commits` or `workspace.target_missing` (user).
 */
async function readBase(
  repo: string,
  target: string,
  upstreamName: RefName | undefined,
): Promise<Base> {
  const local = await readCommit(repo, branchRef(target))
  if (!local) throw await missing(repo, target)
  const alias = await readAlias(repo, branchRef(target))
  if (alias) throw standsFor(target, branchOf(alias))
  const upstream = upstreamName && (await readCommit(repo, upstreamName))
  if (!upstream || upstream === local || (await isAncestor(repo, upstream, local)))
    return { commit: local, notices: [] }
  if (await isAncestor(repo, local, upstream)) {
    if (await isComplete(repo, local, upstream)) return { commit: upstream, notices: [] }
    return { commit: local, notices: [lacking(repo, target, upstreamName)] }
  }
  return {
    commit: local,
    notices: [
      `${target} and ${upstreamName} have diverged; the work starts from the local ${target}.`,
    ],
  }
}

/** Whether all files between the two commits are here. In a partial clone, a fetch brings commits alone. */
async function isComplete(repo: string, from: Oid, to: Oid): Promise<boolean> {
  const promised = await listConfig(repo, "^(extensions\\.partialclone|remote\\..*\\.promisor)$")
  if (promised.length === 0) return true
  try {
    return (await countMissing(repo, to, from)) === 0
  } catch (error) {
    if (error instanceof GitError) return false // a folder's own object is missing, too
    throw error
  }
}

const lacking = (repo: string, target: string, upstream: RefName) =>
  `This partial clone has commits of ${branchOf(upstream)} without their files, so the work starts from the local ${target}; \`git -C ${shellWord(repo)} pull\` brings the files.`

/** Moving one of the two names would separate it from the other. */
function standsFor(target: string, branch: string): WorkspaceError {
  const message = `The branch ${target} is a symbolic ref to ${branch}.`
  return new WorkspaceError("workspace.target_missing", message, [
    `Set \`repos.<name>.target\` in coppice.yml to ${branch}.`,
  ])
}

async function missing(repo: string, target: string): Promise<WorkspaceError> {
  if (!(await readCommit(repo, "HEAD")))
    return new WorkspaceError("workspace.no_commits", `${repo} has no commit yet to start from.`, [
      'Make a first one, e.g. `git commit --allow-empty -m "Start"`.',
    ])
  const renamed = await findRenamed(repo, branchRef(target))
  const back = renamed && `git branch -m ${shellWord(branchOf(renamed))} ${shellWord(target)}`
  const was = renamed ? ` It was renamed to ${branchOf(renamed)}.` : ""
  return new WorkspaceError("workspace.target_missing", `${repo} has no branch ${target}.${was}`, [
    "Set `repos.<name>.target` in coppice.yml to the branch that work should land on.",
    `Or make the branch: \`${back ?? `git branch ${shellWord(target)} <commit>`}\`.`,
  ])
}
