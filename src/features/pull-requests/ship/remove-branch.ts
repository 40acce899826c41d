/**
 * Removes the branch of a merged pull request at the remote, if Coppice made it there and it is exactly
 * the commit that we pushed last.
 */
import { branchOf, branchRef } from "../../../base/ids.ts"
import type { Remote } from "../../../kernel/git/ask/remote-branch.ts"
import { push } from "../../../kernel/git/change/push.ts"
import type { Configured, Forges, Rows, Step } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { listUpper } from "../../stacks/rows.ts"
import { ForgeError } from "../forges/errors.ts"
import { listPullRequests, recordPull } from "../rows.ts"
import { findRemote } from "./address.ts"
import { askRemote, network } from "./network-limits.ts"
import { findPull } from "./remote.ts"

/** Safe to repeat. @returns why the branch stays, for a person. */
export async function removeBranch(
  step: Step<Rows & Configured & Forges>,
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
  const led = await retargetUpper(step, repo, { into: branch, remote })
  if (led !== undefined) return `The branch ${branch} stays at ${remote.name}: ${led}.`
  const move = { ref: branchRef(branch), from, to: null }
  const removed = await askRemote(remote, () =>
    push(repo.path, { remote, moves: [move], isTracked: true }, network(step)),
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

/**
 * Open pull requests that lead into the branch now lead into its target: a forge may close one whose
 * branch goes. @returns why one of them could not be turned, for a person.
 */
async function retargetUpper(
  { context, task }: Step<Rows & Forges>,
  repo: LandingRepo,
  { into, remote }: { readonly into: string; readonly remote: Remote },
): Promise<string | undefined> {
  const rows = listUpper(context.db, task.id).flatMap((id) => listPullRequests(context.db, id))
  for (const { name, base, branch, number, url, state, task: upper } of rows) {
    if (name !== repo.name || base !== into || state !== "open" || branch === null) continue
    try {
      const forge = context.forgeOf(repo, remote.push)
      const opened = number ?? (await forge.findOpen({ branch, target: into }))?.number
      if (opened === undefined) return `task ${upper} may be opening its pull request into it`
      await forge.retarget(opened, branchOf(repo.target))
    } catch (error) {
      if (error instanceof ForgeError)
        return `${url ?? `task ${upper}`} leads into it, and ${error.message}`
      throw error
    }
  }
  return undefined
}
