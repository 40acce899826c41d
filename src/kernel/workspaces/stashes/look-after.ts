/**
 * Looks after the stashes of others, in the list that an agent shares with them.
 *
 * No setting of git separates the lists of two worktrees. So we remember the stashes of others when a
 * turn begins, and look for them when it ends. One that is gone, and whose changes are in the agent's
 * work, was popped by the agent: it is put back. Any other may have been popped or dropped by a person,
 * or by an agent that threw its changes away: it stays gone, and is rescued. A stash that came and went
 * within the turn is judged by the work alone.
 */
import { branchOf, type Oid } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { listRefs } from "../../git/ask/list-refs.ts"
import { readMergeBase } from "../../git/ask/merge-base.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { findStashes, type ListedStash, listStashes, type Stash } from "../../git/ask/stashes.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { treeOfFiles } from "../../git/change/tree-of-files.ts"
import { type Rescue, rescueCommit } from "../rescue/rescue.ts"
import { type Owner, SAVED } from "../task-refs.ts"
import { listMadeAt } from "./own-stashes.ts"
import { putBackStash } from "./put-back.ts"
import { findRemembered, remember } from "./remembered-stashes.ts"
import { listHeld, listStashFiles } from "./work-with-stash.ts"

export type StashesPlace = {
  readonly repo: string
  readonly worktree: string
  readonly branch: string
  /** Branches of other agents. */
  readonly agents: readonly string[]
  /** Stashes that were in the list during the turn. */
  readonly passing: readonly Oid[]
  /** The target's commit. */
  readonly target: Oid
  readonly owner: Owner
}

/** A stash of others that is gone. */
export type LostStash = {
  readonly stash: Stash
  /** Undefined: it is back in the list. */
  readonly rescue: Rescue | undefined
}

/** @returns the stashes that went since the last look. Safe to repeat. */
export async function lookAfterStashes(place: StashesPlace): Promise<LostStash[]> {
  const { repo, owner, worktree, branch } = place
  // Another repository may stand there since the home moved: to ask for our refs would make it ours.
  if (!(await isWorktreeOf(worktree, repo))) return []
  const stashes = await listStashes(repo)
  const isListed = (oid: Oid) => stashes.some((one) => one.oid === oid)
  const others = await findRemembered(repo, owner, "stashes")
  const gone = await findStashes(
    repo,
    others.filter((oid) => !isListed(oid)),
  )
  const passed = await findPassed(place, [...others, ...stashes.map(({ oid }) => oid)])
  const popped = await listPopped(place, [...passed, ...gone], others.filter(isListed))
  for (const stash of popped.toReversed()) await putBack(place, stash, others)
  const rescued: LostStash[] = []
  for (const stash of gone.filter((one) => !popped.includes(one))) {
    const rescue = await rescueGone(place, stash)
    if (rescue) rescued.push({ stash, rescue })
  }
  const now = popped.length > 0 ? await listStashes(repo) : stashes
  const fresh = now.filter(({ oid }) => !others.includes(oid))
  const made = { branch, gitDir: fresh.length > 0 ? await gitDir(worktree) : undefined }
  const own = new Set(await listMadeAt(repo, fresh, made))
  const left = now.filter((one) => !own.has(one)).map(({ oid }) => oid)
  await remember(repo, owner, "stashes", left)
  return [...popped.map((stash) => ({ stash, rescue: undefined })), ...rescued]
}

/**
 * Stashes that others made and that went within the turn, newest first. Their makers have a worktree elsewhere; the
 * agent itself may have made any other.
 */
async function findPassed(
  { repo, worktree, branch, passing }: StashesPlace,
  known: readonly Oid[],
): Promise<Stash[]> {
  const passed = passing
    .filter((oid) => !known.includes(oid))
    .slice(-PASSED_MAX)
    .toReversed()
  if (passed.length === 0) return []
  const elsewhere = (await listWorktrees(repo)).filter(({ path }) => !isAt(worktree, path))
  const branches = elsewhere.flatMap((one) => (one.branch ? branchOf(one.branch) : []))
  const found = await findStashes(repo, passed)
  return found.filter((one) => one.branch && one.branch !== branch && branches.includes(one.branch))
}

const isAt = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

/** Git takes some 100 ms for each, and a turn is about to end. */
const PASSED_MAX = 20

/**
 * The stashes whose changes the agent's files have. A later stash may have the changes of one that its
 * maker popped, so each change counts for the latest only.
 */
async function listPopped(
  place: StashesPlace,
  newestFirst: readonly Stash[],
  listed: readonly Oid[],
): Promise<Stash[]> {
  const popped: Stash[] = []
  for (const stash of newestFirst) {
    const later = popped.map(({ oid }) => oid)
    if (await isInWork(place, stash, [...later, ...listed])) popped.push(stash)
  }
  return popped
}

async function putBack(
  { repo, owner }: StashesPlace,
  stash: Stash,
  others: readonly Oid[],
): Promise<void> {
  const popped = await findRemembered(repo, owner, "popped")
  await remember(repo, owner, "popped", [stash.oid, ...popped])
  await putBackStash(repo, stash, laterThan(stash, await listStashes(repo), others))
}

/** @returns undefined if no work was lost. */
async function rescueGone(
  { repo, owner, agents, target }: StashesPlace,
  stash: Stash,
): Promise<Rescue | undefined> {
  if (stash.branch && agents.includes(stash.branch)) return undefined // popped by the agent that made it
  const saved = await listRefs(repo, SAVED.rescue)
  if (saved.some(({ oid }) => oid === stash.oid)) return undefined
  const request = { owner, safeCommits: [target], reason: "it went from `git stash list`" }
  return await rescueCommit(repo, stash.oid, request)
}

async function isInWork(
  { repo, worktree, target }: StashesPlace,
  stash: Stash,
  elsewhere: readonly Oid[],
): Promise<boolean> {
  const { commit: head } = await readHead(worktree)
  const base = head && (await readMergeBase(repo, head, target))
  if (!base) return false
  const { tracked, untracked } = await listStashFiles(repo, stash)
  const work = await treeOfFiles(worktree, head, [...tracked, ...untracked])
  return (await listHeld(repo, stash, { work, before: [base, target, ...elsewhere] })).length > 0
}

/** Stashes that were above it, and those that have come since. */
function laterThan(
  { oid }: Stash,
  now: readonly ListedStash[],
  others: readonly Oid[],
): ListedStash[] {
  const below = others.slice(Math.max(0, others.indexOf(oid)))
  const first = now.findIndex((one) => below.includes(one.oid))
  return now.slice(0, first < 0 ? now.length : first)
}
