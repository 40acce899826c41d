/**
 * Moves the target of the remote to the candidate, before the local one (`push_target`).
 *
 *   record a receipt ─► push target and receipt, both or none, by compare-and-swap ─► record that it is there
 *
 * The receipt is a commit of this one push. Its ref at the remote moves together with the target. So
 * after a crash the remote says whether the push happened, even if its target has moved on. A push
 * that was cut off loses its lease as soon as a later one has succeeded.
 */
import { randomUUID } from "node:crypto"
import { assert } from "../../base/assert.ts"
import { branchOf, type Oid, type RefName } from "../../base/ids.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import { type Remote, readRemoteRefs } from "../../kernel/git/ask/remote-branch.ts"
import { readCommit, readTrees } from "../../kernel/git/ask/rev-parse.ts"
import { commitTree } from "../../kernel/git/change/commit-objects.ts"
import { push } from "../../kernel/git/change/push.ts"
import type { Configured, Outcome, Rows, Step } from "../../kernel/landing/action.ts"
import { findLanding } from "../../kernel/landing/rows/find.ts"
import { recordPush } from "../../kernel/landing/rows/push.ts"
import { recordDecided } from "../../kernel/landing/rows/record.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { blocked, targetMoved } from "../../kernel/landing/waiting-outcomes.ts"
import { readUniqueName } from "../../kernel/store/home.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTargetRemote, leadsElsewhere } from "../pull-requests/ship/address.ts"
import { askRemote, network } from "../pull-requests/ship/network-limits.ts"

type Uses = Rows & Configured

export type PushedTarget =
  /** Also without `push_target`. */
  | { readonly kind: "pushed" }
  /** `isOpen`: the push may have happened, or still happen. */
  | { readonly kind: "stopped"; readonly outcome: Outcome; readonly isOpen: boolean }

export async function pushTarget(step: Step<Uses>, repo: LandingRepo): Promise<PushedTarget> {
  if (repo.pushed || !step.context.repoConfig(repo).pushTarget) return { kind: "pushed" }
  const { path, base, candidate, target } = repo
  assert(base && candidate, "a target that is pushed has a candidate")
  const remote = await findTargetRemote(step, repo)
  if (!remote) return stopped(await leadsElsewhere(step, repo))
  const ref = receiptRef(step, repo)
  const now = await readThere(step, path, { remote, refs: [target, ref] })
  const isOpen = repo.receipt !== null
  if (now.kind === "unreachable") return stopped(unreachable(step, now.message), isOpen)
  const [tip, there] = now.commits
  if (isOpen && there === repo.receipt) return pushedEarlier(step, repo, tip)
  const contains = tip && (await readCommit(path, tip)) && (await isAncestor(path, candidate, tip))
  if (contains) return recordPushed(step, repo)
  if (tip === base) return await pushNow(step, repo, { remote, ref, from: there ?? null })
  recordPush(step.context.db, step.landing, { name: repo.name, receipt: null, pushed: false })
  return stopped(targetMoved(step, repo))
}

/** Whether the push that was under way has reached the remote. Undefined: it does not answer. */
export async function hasArrived(
  step: Step<Uses>,
  repo: LandingRepo,
  remote: Remote,
): Promise<boolean | undefined> {
  const refs = [receiptRef(step, repo)]
  const now = await readThere(step, repo.path, { remote, refs })
  return now.kind === "unreachable" ? undefined : now.commits[0] === repo.receipt
}

const readThere = (step: Step, path: string, asked: Parameters<typeof readRemoteRefs>[1]) =>
  askRemote(asked.remote, () => readRemoteRefs(path, asked, network(step)))

/**
 * Each home has its own, so the pushes of two homes do not disturb each other. It ends alike for all
 * branches, since a ref `a` forbids a ref `a/b`.
 */
const receiptRef = ({ context }: Step<Rows>, { target }: LandingRepo): RefName =>
  `refs/coppice/receipt/${readUniqueName(context.db)}/${branchOf(target)}/@` as RefName

/** If the target has moved on since, the next round looks whether it still contains the work. */
function pushedEarlier(step: Step<Uses>, repo: LandingRepo, tip: Oid | undefined): PushedTarget {
  recordPushed(step, repo)
  return tip === repo.candidate ? { kind: "pushed" } : stopped(targetMoved(step, repo), true)
}

/** The remote has the work, so the landing is decided: also if another push brought it there. */
function recordPushed(step: Step<Uses>, { name, receipt }: LandingRepo): PushedTarget {
  const { context, landing } = step
  transaction(context.db, () => {
    decide(step)
    recordPush(context.db, landing, { name, receipt, pushed: true })
  })
  return { kind: "pushed" }
}

function decide({ context: { db, world }, landing }: Step<Uses>): void {
  if (!findLanding(db, landing.id)?.decided) recordDecided(db, landing, world.nowMs())
}

/** `from`: where the ref of receipts is now. */
type Place = { readonly remote: Remote; readonly ref: RefName; readonly from: Oid | null }

async function pushNow(
  step: Step<Uses>,
  repo: LandingRepo,
  { remote, ref, from }: Place,
): Promise<PushedTarget> {
  const { context, landing } = step
  const { db, world } = context
  const { name, path, base, candidate, target } = repo
  assert(base && candidate, "a target that is pushed has a candidate")
  // A try that was cut off may still arrive. With its receipt, both tries end alike.
  const receipt = repo.receipt ?? (await makeReceipt(step, path, candidate))
  recordPush(db, landing, { name, receipt, pushed: false })
  decide(step)
  await world.point("publishing: push recorded")
  const moves = [
    { ref: target, from: base, to: candidate },
    { ref, from, to: receipt },
  ]
  const pushed = await askRemote(remote, () => push(path, { remote, moves }, network(step)))
  await world.point("publishing: pushed")
  if (pushed.kind === "pushed") return recordPushed(step, { ...repo, receipt })
  if (pushed.kind === "unreachable") return stopped(unreachable(step, pushed.message), true)
  recordPush(db, landing, { name, receipt: null, pushed: false })
  if (pushed.kind === "moved") return stopped(targetMoved(step, repo))
  const reason = `${remote.name} refuses ${branchOf(target)}: ${pushed.message}`
  return stopped(blocked(step, "PUSH_REFUSED", { reason }))
}

async function makeReceipt({ task, landing }: Step, path: string, candidate: Oid): Promise<Oid> {
  const [tree] = await readTrees(path, [candidate])
  assert(tree, "a candidate has a tree")
  const message = `coppice: landing ${landing.id} of task ${task.id}\n\n${randomUUID()}`
  return commitTree(path, { tree, parents: [candidate], message })
}

const unreachable = (step: Step<Rows>, reason: string): Outcome =>
  blocked(step, "REMOTE_UNAVAILABLE", { reason })

const stopped = (outcome: Outcome, isOpen = false): PushedTarget => ({
  kind: "stopped",
  outcome,
  isOpen,
})
