/** The remote that a task's branch is pushed to, and its targets there. */
import { branchOf, branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { type Remote, readRemoteBranch } from "../../../kernel/git/ask/remote-branch.ts"
import { readCommit } from "../../../kernel/git/ask/rev-parse.ts"
import { type Fetched, fetchRef, fetchRemote } from "../../../kernel/git/change/fetch.ts"
import type { Configured, Rows, Step } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { listPullRequests, type PullRequest } from "../rows.ts"
import { askRemote, network } from "./network-limits.ts"

export const remoteOf = ({ context }: Step<Configured>, repo: LandingRepo): string =>
  context.repoConfig(repo).forge.remote

/** Undefined for a task that does not land by pull requests. */
export const findPull = (
  { context, task }: Step<Rows>,
  { name }: { readonly name: string },
): PullRequest | undefined =>
  listPullRequests(context.db, task.id).find((pull) => pull.name === name)

/** The target as the remote had it when it was last fetched. An agent can write it: it proves nothing. */
export const trackingRef = (step: Step<Configured>, repo: LandingRepo): RefName =>
  `refs/remotes/${remoteOf(step, repo)}/${branchOf(repo.target)}` as RefName

/** The commits of the target and of its tracking ref. A person's push, pull or fetch changes one. */
export async function readBoth(
  step: Step<Configured>,
  repo: LandingRepo,
): Promise<readonly string[]> {
  const refs = [repo.target, trackingRef(step, repo)]
  const commits = await Promise.all(refs.map((ref) => readCommit(repo.path, ref)))
  return commits.map((commit) => commit ?? "")
}

type FetchedTarget =
  /** `tip` undefined: the remote has no such branch. */
  | { readonly kind: "fetched"; readonly tip: Oid | undefined }
  | { readonly kind: "failed"; readonly message: string }

/**
 * Fetches the remote, and asks it where its target is. A tracking ref would not do: an agent can write
 * it, and exclude it from every fetch.
 */
export const fetchTarget = (
  step: Step<Configured>,
  repo: LandingRepo,
  remote: Remote,
): Promise<FetchedTarget> => askRemote(remote, () => fetchNow(step, repo, remote))

async function fetchNow(
  step: Step<Configured>,
  { path, target }: LandingRepo,
  remote: Remote,
): Promise<FetchedTarget> {
  const limits = network(step)
  const branch = branchOf(target)
  const fetched = await fetchRemote(path, remote.name, limits)
  if (fetched.kind !== "fetched") return failed(remote.name, fetched)
  const now = await readRemoteBranch(path, { remote, branch }, limits)
  if (now.kind === "unreachable") return { kind: "failed", message: now.message }
  const tip = now.commit
  if (tip === undefined || (await readCommit(path, tip))) return { kind: "fetched", tip }
  // The settings leave this branch out, or it has just moved.
  const again = await fetchRef(path, { remote, ref: branchRef(branch) }, limits)
  if (again.kind !== "fetched") return failed(remote.name, again)
  if (await readCommit(path, tip)) return { kind: "fetched", tip }
  return { kind: "failed", message: `${remote.name} does not send ${tip}, the tip of ${branch}` }
}

const failed = (remote: string, fetched: Exclude<Fetched, { kind: "fetched" }>) => {
  const message = fetched.kind === "failed" ? fetched.message : `${remote} did not answer in time`
  return { kind: "failed", message } as const
}
