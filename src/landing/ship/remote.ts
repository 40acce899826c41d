/** The remote that a task's branch is pushed to, and its targets there. */
import { branchOf, type Oid, type RefName } from "../../core/ids.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { listPullRequests, type PullRequest } from "../../store/pull-requests.ts"
import type { Configured, Rows, Step } from "../action.ts"

/** A push or fetch of a large repository takes minutes; one that hangs ends. */
const NETWORK_MS_MAX = 5 * 60_000

export const network = ({ signal }: Step) => ({ timeoutMs: NETWORK_MS_MAX, signal })

export const remoteOf = ({ context }: Step<Configured>, repo: LandingRepo): string =>
  context.repoConfig(repo).forge.remote

/** Undefined for a task that does not land by pull requests. */
export const findPull = (
  { context, task }: Step<Rows>,
  { name }: { readonly name: string },
): PullRequest | undefined =>
  listPullRequests(context.db, task.id).find((pull) => pull.name === name)

/** The target as the remote had it when it was last fetched. */
export const trackingRef = (step: Step<Configured>, repo: LandingRepo): RefName =>
  `refs/remotes/${remoteOf(step, repo)}/${branchOf(repo.target)}` as RefName

export const readRemoteTarget = (
  step: Step<Configured>,
  repo: LandingRepo,
): Promise<Oid | undefined> => readCommit(repo.path, trackingRef(step, repo))
