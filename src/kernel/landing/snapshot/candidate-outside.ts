/**
 * Asks for a person's approval if the candidate changes a file that the home's hooks may run. The work itself
 * need not change it: a merge carries a change along when the target has renamed the file.
 */
import type { Oid } from "../../../base/ids.ts"
import type { Configured, Outcome, Rows, Step } from "../action.ts"
import { A_PERSON } from "../rows/approvals.ts"
import { findOwnBase, listApprovers } from "./missing-approvals.ts"
import { runsOutside } from "./run-outside.ts"

type Prepared = { readonly name: string; readonly base: Oid; readonly candidate: Oid }

/** @returns undefined if no person has to look, or one approved the head. */
export async function askForCandidates(
  step: Step<Rows & Configured>,
  prepared: readonly Prepared[],
): Promise<Outcome | undefined> {
  const { context, landing, task } = step
  const { outside = [] } = context.agentConfig(task)
  if (landing.decided) return undefined
  const reasons: string[] = []
  const repos = []
  for (const { name, base: target, candidate } of prepared) {
    const repo = landing.repos.find((one) => one.name === name)
    if (!repo?.head || outside.length === 0) continue
    const work = { path: repo.path, base: target, head: candidate, target }
    const reason = await runsOutside(work, outside)
    const snapshot = { ...repo, head: repo.head }
    const base = reason === null ? undefined : await findOwnBase(step, snapshot, target)
    const isAsked = base && !(await listApprovers(step, snapshot, base)).has(A_PERSON)
    if (isAsked && reason !== null) reasons.push(reason)
    repos.push({ name, base: isAsked ? base : null, candidate: null })
  }
  if (reasons.length === 0) return undefined
  const reason = reasons.join("; it ")
  return { event: "reviewRequested", outcome: null, reason, details: null, repos }
}
