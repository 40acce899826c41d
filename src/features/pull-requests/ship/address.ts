/**
 * The address of a remote: recorded before the agent starts, because an agent can change it. The record
 * of the home counts more than the task's, which an earlier task could have misled.
 */
import { withoutLogin } from "../../../base/text/address.ts"
import { type Remote, readRemote } from "../../../kernel/git/ask/remote-branch.ts"
import {
  type Configured,
  type Outcome,
  type Rows,
  type Step,
  taskRepo,
} from "../../../kernel/landing/action.ts"
import { hashAddresses } from "../../../kernel/landing/hash-addresses.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { blocked } from "../../../kernel/landing/waiting-outcomes.ts"
import { recordAddress } from "../../../kernel/tasks/rows/task-repos/address.ts"
import type { PullRequest } from "../rows.ts"
import { remoteOf } from "./remote.ts"

/** @returns the remote to push to; undefined if it leads elsewhere than recorded. */
export async function findRemote(
  step: Step<Configured>,
  repo: LandingRepo,
  { address: recorded }: Pick<PullRequest, "address">,
): Promise<Remote | undefined> {
  const remote = await readRemote(repo.path, remoteOf(step, repo))
  const known = step.context.repoConfig(repo).pushAddress ?? recorded
  return remote && hashAddresses(remote) === known ? remote : undefined
}

/**
 * The same for the remote of a target. Work without an agent, and tasks that are older than
 * `push_target`, have no record: the first look makes it.
 */
export async function findTargetRemote(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
): Promise<Remote | undefined> {
  const { address } = taskRepo(step, repo)
  const isKnown = step.context.repoConfig(repo).pushAddress !== undefined
  if (isKnown || address !== null) return findRemote(step, repo, { address: address ?? "" })
  const remote = await readRemote(repo.path, remoteOf(step, repo))
  const { context, task } = step
  if (remote)
    recordAddress(context.db, { task: task.id, name: repo.name, address: hashAddresses(remote) })
  return remote
}

/** A person has to say that the address is right. */
export async function leadsElsewhere(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
): Promise<Outcome> {
  const name = remoteOf(step, repo)
  const remote = await readRemote(repo.path, name)
  const where = remote ? `leads to ${withoutLogin(remote.push)}, and` : "has no address: it"
  const reason = `the remote ${name} of ${repo.path} ${where} led elsewhere when it was approved. Put it right, or approve it with \`coppice trust\``
  return blocked(step, "PUSH_REFUSED", { reason })
}
