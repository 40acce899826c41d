/**
 * Alternatives are gated first, and then wait for a person to pick one of them.
 *
 * So the snapshot asks for no approval. It is missing when the gate has passed, and nothing is published
 * without it.
 */
import { assert } from "../../base/assert.ts"
import type { Configured, Outcome, Refs, Rows, Step } from "../../kernel/landing/action.ts"
import { putBack } from "../../kernel/landing/move/move-worktree.ts"
import { findUnapproved } from "../../kernel/landing/snapshot/missing-approvals.ts"
import { listAlternatives } from "./rows.ts"

export const isAlternative = ({ context, task }: Step<Rows>): boolean =>
  listAlternatives(context.db, task.id).length > 0

/** @returns the outcome of a gate that has passed. */
export async function passed(step: Step<Rows & Refs & Configured>): Promise<Outcome> {
  const lacking = await findLacking(step)
  if (lacking.length === 0) return { event: "passed" }
  await putBack(step, step.landing.repos) // a person sees the work as its agent wrote it
  const repos = step.landing.repos.map(({ name }) => {
    const base = lacking.find((one) => one.name === name)?.base ?? null // null: nothing to approve
    return { name, base, candidate: null }
  })
  return { event: "reviewRequested", outcome: null, reason: null, details: null, repos }
}

/** A landing of an alternative without an approval must never get as far as its target. */
export async function assertApproved(step: Step<Rows & Configured>): Promise<void> {
  assert((await findLacking(step)).length === 0, "an alternative that is published was picked")
}

async function findLacking(step: Step<Rows & Configured>) {
  const { decided, repos } = step.landing
  if (decided || !isAlternative(step)) return []
  const heads = repos.flatMap(({ name, head }) => (head ? [[name, head] as const] : []))
  const bases = repos.flatMap(({ name, base }) => (base ? [[name, base] as const] : []))
  return await findUnapproved(step, new Map(heads), new Map(bases))
}
