/** Hands a pull request back for requested changes, failed checks or a removal by the merge queue. */
import type { Oid } from "../../../base/ids.ts"
import type { Remote } from "../../../kernel/git/ask/remote-branch.ts"
import { fetchRemote } from "../../../kernel/git/change/fetch.ts"
import type { Configured, Outcome, Rows, Step } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { handBackOrFail } from "../../../kernel/landing/verdict.ts"
import type { Forge } from "../forges/forge.ts"
import type { PullFacts } from "../prompts.ts"
import { type PullRequest, recordPull } from "../rows.ts"
import {
  type Check,
  checkState,
  listRequests,
  type Pull,
  type PullReview,
  type QueueRemoval,
} from "../rules.ts"
import { network } from "./network-limits.ts"
import { fetchTarget } from "./remote.ts"

type Uses = Rows & Configured

/** A pull request, its row, and the remote of its branch. */
export type OpenPull = {
  readonly row: PullRequest
  readonly pull: Pull
  readonly remote: Remote
  readonly forge: Forge
}

type Found = OpenPull & {
  readonly reviews: readonly PullReview[]
  readonly checks: readonly Check[]
}

/** For requested changes and failed checks. @returns undefined if the agent has nothing to do. */
export async function handBackPull(
  step: Step<Uses>,
  repo: LandingRepo,
  { row, pull, remote, forge, reviews, checks }: Found,
): Promise<Outcome | undefined> {
  const requests = listRequests(reviews, row.handled)
  // Checks of a commit that another person pushed are not about the agent's work.
  const isOwn = pull.head === row.pushed
  const isNewest = pull.head === repo.head // else the newest work could not be pushed
  const failures = isOwn && isNewest && checkState(checks) === "failed" ? failed(checks) : []
  if (requests.length === 0 && failures.length === 0) return undefined
  if (!isOwn) await fetchRemote(repo.path, remote.name, network(step))
  const facts: PullFacts = {
    url: pull.url,
    requests: await withComments(forge, pull, requests),
    failures,
    thrownOut: null,
    others: isOwn ? null : pull.head,
  }
  const handled = [...row.handled, ...requests.map(({ id }) => id)]
  const records = () => recordPull(step.context.db, row, { handled })
  return { ...handBackOrFail(step, "CHANGES_REQUESTED", { repo, pull: facts }), records }
}

/** @param commit the one that the queue tested; null if unknown. */
export async function handBackThrownOut(
  step: Step<Uses>,
  repo: LandingRepo,
  {
    row,
    pull,
    remote,
    forge,
    removal,
    commit,
  }: OpenPull & { readonly removal: QueueRemoval; readonly commit: Oid | null },
): Promise<Outcome> {
  const checks = commit === null ? [] : await forge.listChecks(commit)
  const fetched = await fetchTarget(step, repo, remote)
  const target = fetched.kind === "fetched" ? (fetched.tip ?? null) : null
  const { reason } = removal
  const facts: PullFacts = {
    url: pull.url,
    requests: [],
    failures: failed(checks),
    thrownOut: { reason, target },
    others: null,
  }
  // If the agent changes nothing, the same head is queued again.
  const queue = { head: pull.head, seen: removal.id, commit: null }
  const records = () => recordPull(step.context.db, row, { queue })
  return { ...handBackOrFail(step, "CHANGES_REQUESTED", { repo, pull: facts }), records }
}

const failed = (checks: readonly Check[]) => checks.filter(({ state }) => state === "failed")

async function withComments(
  forge: Forge,
  { number }: Pull,
  requests: readonly PullReview[],
): Promise<PullFacts["requests"]> {
  const found = []
  for (const { id, author, text } of requests)
    found.push({ author, text, comments: await forge.listComments(number, id) })
  return found
}
