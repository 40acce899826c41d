/**
 * Opens the pull request of pushed work, or finds the one that an earlier try opened.
 *
 * While the lower task (`--on`) is open, the pull request leads into its branch. Then it is retargeted.
 */

import type { Configured, Rows, Step } from "../../../kernel/landing/action.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { baseOf, findBelow } from "../../stacks/pull-base.ts"
import { ForgeError } from "../forges/errors.ts"
import type { Forge } from "../forges/forge.ts"
import { type PullRequest, recordPull } from "../rows.ts"
import { fillBody, fillTitle } from "../rules/pull-texts.ts"
import type { Pull } from "../rules.ts"
import { findStaleNote } from "./stale-note.ts"

type ToOpen = {
  readonly repo: LandingRepo
  readonly forge: Forge
  readonly pull: PullRequest
  /** The branch that it leads into. */
  readonly into: string
}

/**
 * @returns false if the lower task was merged just now: its branch may go at any time, and a pull request
 *   into it would be closed.
 */
export async function openPullRequest(
  step: Step<Rows & Configured>,
  asked: ToOpen,
  branch: string,
): Promise<boolean> {
  const { db, world } = step.context
  const { forge, pull, into } = asked
  const opened = await openOrFind(step, asked, branch)
  if (opened === undefined) return false
  const { number, url, state } = opened
  await world.point("shipping: opened")
  const fresh = { number, url, state, review: "waiting", checks: "none", handled: [] } as const
  const problem = await decorate(step, forge, number)
  recordPull(db, pull, { ...fresh, base: into, problem })
  return true
}

/** If a person has retargeted the pull request, it stays so, and `proposed` reports it. */
export async function retarget(
  { context }: Step<Rows>,
  { forge, pull, into }: ToOpen,
  { number, target }: Pull,
): Promise<void> {
  if (pull.base === into) return
  if (target === pull.base) {
    await forge.retarget(number, into)
    await context.world.point("shipping: retargeted")
  }
  recordPull(context.db, pull, { base: into })
}

/**
 * An earlier try may have opened it before a crash, into the lower task's branch, which may have been
 * merged since. So we record the branch before we open it.
 */
async function openOrFind(
  step: Step<Rows & Configured>,
  { forge, pull, repo, into: target }: ToOpen,
  branch: string,
): Promise<Pull | undefined> {
  const { context, task } = step
  const bases = [...new Set([target, pull.base ?? target])]
  for (const base of bases) {
    const found = await forge.findOpen({ branch, target: base })
    if (!found) continue
    if (base !== target) await forge.retarget(found.number, target)
    return found
  }
  if (baseOf(findBelow(context.db, task.id, pull), repo) !== target) return undefined
  recordPull(context.db, pull, { base: target })
  const { title, body, isDraft } = context.agentConfig(task).pullRequest
  const stale = await findStaleNote(step, repo)
  const values = { ...task, task: task.id, summary: task.lastMessage ?? "" }
  const texts = { title: fillTitle(title, values), body: fillBody(body, values, stale) }
  return await forge.open({ branch, target, ...texts, isDraft })
}

/** @returns why labels or reviewers were refused, for a person: the pull request is open anyway. */
async function decorate(
  { context, task }: Step<Configured>,
  forge: Forge,
  number: number,
): Promise<string | null> {
  try {
    await forge.decorate(number, context.agentConfig(task).pullRequest)
    return null
  } catch (error) {
    if (error instanceof ForgeError && !error.isUnavailable) return error.message
    throw error
  }
}
