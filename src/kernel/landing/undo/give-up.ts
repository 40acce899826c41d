/**
 * Ends a landing that cannot go on although part of it is published.
 *
 * All or none: a separate landing reverts the published part. It is submitted in the transaction in
 * which this landing fails, so a crash cannot lose it. If this one is landed again, it waits for
 * the revert (kernel/landing/rows/queue.ts).
 */
import { assert } from "../../../base/assert.ts"
import { branchOf } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import type { Outcome, Rows, Step } from "../action.ts"
import { isPublished } from "../move/is-published.ts"
import { lookNow } from "../move/moved-past.ts"
import { findLanding } from "../rows/find.ts"
import type { Landing, LandingRepo } from "../rows/row.ts"
import type { WorkToSubmit } from "../submit-work.ts"
import { prepareTakeBack } from "./take-back.ts"

/** @param outcome `failed`. @returns the outcome with the revert of a decided landing. */
export async function giveUp(step: Step<Rows>, outcome: Outcome): Promise<Outcome> {
  const { db, world } = step.context
  const landing = findLanding(db, step.landing.id)
  assert(landing, "a landing that gives up is there")
  if (!landing.decided) return outcome
  const moved = await listMoved(step, landing.repos)
  // While it is on record that this landing moved them.
  for (const { path, target } of moved) await lookNow(db, { path, target }, world.nowMs())
  // The outcome's own reason names the push that the remote has lost.
  const sent = outcome.outcome === "PUSH_FAILED" ? "" : stayAtRemotes(landing)
  const repos = landing.repos.map(({ name }) => ({ name, published: false, pushed: false }))
  const over = { ...outcome, reason: `${outcome.reason}${sent}`, decided: false, repos } as const
  if (moved.length === 0) return over
  const names = moved.map(({ name }) => name).join(", ")
  const prepared = await prepareTakeBack(db, landing, moved)
  return prepared.kind === "prepared"
    ? {
        ...over,
        reason: `${outcome.reason}; it is taken back in ${names}${sent}`,
        takeBack: prepared.work,
      }
    : { ...over, reason: `${outcome.reason}; in ${names} ${prepared.reason}${sent}` }
}

/** From git: publishing may have failed in the middle, or a user may have reset a target. */
async function listMoved(
  step: Step<Rows>,
  repos: readonly LandingRepo[],
): Promise<readonly LandingRepo[]> {
  const moved: LandingRepo[] = []
  for (const repo of repos) {
    const mayHave = repo.published || step.landing.state === "publishing"
    if (mayHave && (await isPublished(step, repo))) moved.push(repo)
  }
  return moved
}

/** The pushes that Coppice cannot take back, because the target here has not moved. */
function stayAtRemotes({ repos }: Landing): string {
  const open = repos.filter(({ published }) => !published)
  const said = open.flatMap((repo) => {
    const where = `${branchOf(repo.target)} of the remote of ${repo.path}`
    if (repo.pushed) return [`${where} has it`]
    return repo.receipt === null ? [] : [`its push to ${where} may still arrive`]
  })
  return said.map((words) => `; ${words}`).join("")
}

/** The work to submit when the landing is cancelled, and a sentence about it for people. */
export type Abandoned = { readonly takeBack: WorkToSubmit | null; readonly reason: string }

/** @returns undefined if the landing cannot be given up in this way. */
export async function prepareAbandoning(db: Db, landing: Landing): Promise<Abandoned | undefined> {
  if (!landing.decided || landing.state !== "waiting") return undefined
  if (landing.repos.some(({ intent }) => intent !== null)) return undefined // a checkout needs repair first
  const moved = []
  for (const repo of landing.repos)
    if (repo.published && (await isPublished({ context: { db }, landing }, repo))) moved.push(repo)
  const sent = stayAtRemotes(landing)
  if (moved.length === 0) return { takeBack: null, reason: `it was given up${sent}` }
  const names = moved.map(({ name }) => name).join(", ")
  const prepared = await prepareTakeBack(db, landing, moved)
  return prepared.kind === "prepared"
    ? { takeBack: prepared.work, reason: `it was given up, and is taken back in ${names}${sent}` }
    : { takeBack: null, reason: `it was given up; in ${names} ${prepared.reason}${sent}` }
}
