/**
 * Removes the branch of a merged pull request at the remote, if Coppice made it there and it is exactly
 * the commit that we pushed last.
 */
import { branchRef } from "../../core/ids.ts"
import { push } from "../../git/change/push.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { recordPull } from "../../store/pull-requests.ts"
import type { Configured, Rows, Step } from "../action.ts"
import { findRemote } from "./address.ts"
import { askRemote, network } from "./network.ts"
import { findPull } from "./remote.ts"

/** Safe to repeat. @returns why the branch stays, for a person. */
export async function removeBranch(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
): Promise<string | undefined> {
  const { context, task } = step
  if (!context.agentConfig(task).pullRequest.deletesBranch) return undefined
  const pull = findPull(step, repo)
  if (pull?.state !== "merged" || pull.branch === null || pull.pushed === null) return undefined
  const { branch, pushed: from } = pull
  const remote = await findRemote(step, repo, pull)
  if (remote === undefined) return `The branch ${branch} stays: its remote leads elsewhere.`
  if (!pull.created) return `The branch ${branch} stays at ${remote.name}: Coppice did not make it.`
  const move = { ref: branchRef(branch), from, to: null }
  const removed = await askRemote(remote, () =>
    push(repo.path, { remote, moves: [move] }, network(step)),
  )
  if (removed.kind === "pushed") {
    // A branch of that name that comes later belongs to a person.
    recordPull(step.context.db, pull, { branch: null, pushed: null, created: false })
    return undefined
  }
  const why =
    removed.kind === "moved" ? "it has commits that Coppice did not push" : removed.message
  return `The branch ${branch} stays at ${remote.name}: ${why}.`
}
