/** Makes the candidate: a head on top of the present target. Writes only objects. */
import { branchOf, type Oid } from "../../../base/ids.ts"
import { readAlias } from "../../git/ask/head.ts"
import { isAncestor, readDivergence } from "../../git/ask/merge-base.ts"
import { upstreamOf } from "../../git/ask/remote.ts"
import { listCommits } from "../../git/ask/rev-list.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import { type Rows, type Step, taskRepo } from "../action.ts"
import { findLandedHead } from "../rows/landed.ts"
import type { LandingRepo } from "../rows/row.ts"
import { describeGone, type GoneTarget } from "./gone-target.ts"
import { type Made, type Replay, type Replayed, replay } from "./replay.ts"
import { describeUpstreamPart } from "./upstream-part.ts"
import { findBase } from "./work-base.ts"

/**
 * `target` is the target's commit below the candidate. `base` is the commit after which the work
 * begins.
 */
export type Candidate =
  | (Made & { readonly kind: "made"; readonly way: Way; readonly target: Oid })
  | { readonly kind: "unchanged"; readonly target: Oid }
  /** `request` allows another try with merge drivers. */
  | (Sides & (Replayed & { readonly kind: "conflict" }) & { readonly request: Replay })
  | { readonly kind: "impossible"; readonly reason: string }
  | ({ readonly kind: "gone" } & GoneTarget)
  /** Commits of the target's upstream would get other ids. */
  | { readonly kind: "apart"; readonly reason: string; readonly target: Oid }

export type Way = "fast-forward" | (Replayed & { readonly kind: "replayed" })["way"]
type Sides = { readonly target: Oid; readonly base: Oid }

export async function makeCandidate(
  step: Step<Rows>,
  repo: LandingRepo & { readonly head: Oid },
): Promise<Candidate> {
  const { path, head, target: ref } = repo
  const target = await readCommit(path, ref)
  if (!target) return { kind: "gone", ...(await describeGone(step.context.db, repo)) }
  const alias = await readAlias(path, ref)
  if (alias)
    return impossible(`the target ${ref} is a symbolic ref to ${alias}: make that the target`)
  const unchanged = { kind: "unchanged", target } as const
  if (head === target) return unchanged

  const { takenBack } = taskRepo(step, repo)
  const recorded = await findRecorded(step, { ...repo, onto: target })
  const divergence = await readDivergence(path, head, target)
  const { treeA: headTree, treeB: ontoTree, mergeBases, ahead } = divergence
  const [mergeBase] = mergeBases
  const base = await findBase(path, { base: recorded, takenBack }, { head, mergeBase })
  if (!base) return impossible(`${ref} and the task's branch share no history`)
  if (base === head || headTree === ontoTree) return unchanged
  if (await isFastForward(repo, { target, base, mergeBase })) {
    const commits = await listCommits(path, target, head, ahead)
    return { kind: "made", way: "fast-forward", target, candidate: head, commits }
  }

  const reason = await describeUpstreamPart(repo, { target, base })
  if (reason !== undefined) return { kind: "apart", reason, target }
  const replayed = await replayWork(step, path, { base, head, onto: target, divergence })
  if (replayed.kind === "conflict") return replayed
  const { way, candidate, commits } = replayed
  return candidate === target ? unchanged : { kind: "made", way, target, candidate, commits }
}

type Work = {
  readonly base: Oid
  readonly head: Oid
  readonly onto: Oid
  /** Of `head` and `onto`. */
  readonly divergence: Awaited<ReturnType<typeof readDivergence>>
}

type Replaying =
  | (Replayed & { readonly kind: "replayed" })
  | (Candidate & { readonly kind: "conflict" })

/** Replays `base..head` onto a commit. */
export async function replayWork(
  { context, task }: Step<Rows>,
  path: string,
  { base, head, onto, divergence }: Work,
): Promise<Replaying> {
  const { treeB: ontoTree, mergeBases, ahead } = divergence
  const settings = await readCommitSettings(path)
  const ends = { base, mergeBases, ahead, head, onto, ontoTree }
  const request = { ...ends, settings, nowMs: context.world.nowMs(), title: task.title }
  const replayed = await replay(path, request)
  return replayed.kind === "conflict" ? { ...replayed, request, target: onto, base } : replayed
}

const impossible = (reason: string): Candidate => ({ kind: "impossible", reason })

/**
 * The recorded start of the work. For a branch that lands repeatedly, it is the commit that landed
 * last, as long as the target contains it.
 */
async function findRecorded(
  step: Step<Rows>,
  { name, path, target, head, onto }: LandingRepo & { readonly head: Oid; readonly onto: Oid },
): Promise<Oid | null> {
  const { base, branch } = taskRepo(step, { name })
  if (step.task.strategy !== null || branch === null) return base
  const landed = findLandedHead(step.context.db, { path, target, branch })
  if (!landed || !(await isAncestor(path, landed.candidate, onto))) return null
  return (await isAncestor(path, landed.head, head)) ? landed.head : null
}

/**
 * Whether the target is the base, or lags behind it. It lags if its upstream has the base; otherwise
 * a person moved it back.
 */
export async function isFastForward(
  { path, target: ref }: Pick<LandingRepo, "path" | "target">,
  { target, base, mergeBase }: { target: Oid; base: Oid; mergeBase: Oid | undefined },
): Promise<boolean> {
  if (target === base) return true
  if (target !== mergeBase || !(await isAncestor(path, target, base))) return false
  const upstream = await upstreamOf(path, branchOf(ref))
  const commit = upstream && (await readCommit(path, upstream))
  return commit !== undefined && (await isAncestor(path, base, commit))
}
