/**
 * Reverts a landing by another landing, through the same queue and gate.
 *
 * The revert is a commit of ours on top of the landed one, with the tree from before. Replayed onto
 * the present target it is exactly a revert: later work stays, or conflicts without any change.
 * Nothing is removed from history.
 */
import { branchOf, type LandingId, type Oid } from "../../../base/ids.ts"
import type { World } from "../../../base/world.ts"
import { listSubjects } from "../../git/ask/log.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { commitTree } from "../../git/change/commit-objects.ts"
import type { Db } from "../../store/open.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../../tasks/rows/find.ts"
import { listUndoing } from "../rows/find.ts"
import type { Landing, LandingRepo } from "../rows/row.ts"
import { submitWork, type WorkInRepo, type WorkToSubmit } from "../submit-work.ts"

export type TakenBack =
  | { readonly kind: "submitted"; readonly landing: Landing }
  /** A sentence about the landing: "it …". */
  | { readonly kind: "refused"; readonly reason: string }

/** Commits that the message names. */
const COMMITS_MAX = 50

/**
 * Submits the revert. Nothing has changed yet when this returns.
 *
 * @param landing all of whose targets have moved.
 */
export async function takeBack(
  { db, world }: { readonly db: Db; readonly world: Pick<World, "nowMs"> },
  landing: Landing,
  order: Pick<WorkToSubmit, "priority" | "after"> = {},
): Promise<TakenBack> {
  const prepared = await prepareTakeBack(db, landing, landing.repos)
  if (prepared.kind === "refused") return prepared
  return transaction(db, () => {
    const by = findReversal(db, landing)
    if (by) return { kind: "refused", reason: revertedBy(by) }
    return {
      kind: "submitted",
      landing: submitWork(db, { ...prepared.work, ...order }, world.nowMs()).landing,
    }
  })
}

/** Why `takeBack` would refuse it now; undefined if it would not. */
export async function findObstacle(db: Db, landing: Landing): Promise<string | undefined> {
  const by = findReversal(db, landing)
  if (by) return revertedBy(by)
  const changed = landing.repos.filter(hasChanged)
  for (const repo of changed) if (!(await findTargetWithIt(repo))) return notOnTarget(repo)
  return changed.length === 0 ? CHANGED_NOTHING : undefined
}

const CHANGED_NOTHING = "it has changed nothing"
const hasChanged = ({ base, candidate }: LandingRepo) => base !== candidate
const revertedBy = ({ task }: Landing) => `task ${task} reverts it already`
const notOnTarget = ({ name, target }: LandingRepo) => `it is not on ${branchOf(target)} of ${name}`

/** Makes the revert commits of a landing. @param repos those whose targets it has moved. */
export async function prepareTakeBack(
  db: Db,
  landing: Landing,
  repos: readonly LandingRepo[],
): Promise<
  { readonly kind: "prepared"; readonly work: WorkToSubmit } | (TakenBack & { kind: "refused" })
> {
  const title = `Revert "${findTask(db, landing.task)?.title ?? `landing ${landing.id}`}"`
  const works: WorkInRepo[] = []
  for (const repo of repos.filter(hasChanged)) {
    const work = await reverse(repo, { title, landing })
    if (typeof work === "string") return { kind: "refused", reason: work }
    works.push(work)
  }
  if (works.length === 0) return { kind: "refused", reason: CHANGED_NOTHING }
  return { kind: "prepared", work: { title, repos: works, undoes: landing.id } }
}

/** The landing that reverts this one, or has done so, since it last landed. */
function findReversal(db: Db, { id, repos }: Landing): Landing | undefined {
  const candidates = new Set(repos.map(({ candidate }) => candidate))
  const isOfThis = ({ task }: Landing) =>
    findTask(db, task)?.repos.some(({ base }) => candidates.has(base))
  return listUndoing(db, id)
    .filter(isOfThis)
    .find(({ id: by }) => !isUndone(db, by))
}

/** Whether the landing is off its target: reverted by one that was not itself reverted since. */
function isUndone(db: Db, id: LandingId): boolean {
  return listUndoing(db, id).some((by) => by.state === "landed" && !isUndone(db, by.id))
}

type Reversal = { readonly title: string; readonly landing: Landing }

/** The commit of its target now; undefined if what landed is not part of it. */
async function findTargetWithIt({ path, target, base, candidate }: LandingRepo) {
  const now = await readCommit(path, target)
  const isThere = now && base && candidate && (await isAncestor(path, candidate, now))
  return isThere ? { now, base, candidate } : undefined
}

/** @returns why it cannot be reverted, if so. */
async function reverse(
  repo: LandingRepo,
  { title, landing }: Reversal,
): Promise<WorkInRepo | string> {
  const { name, path, target } = repo
  const found = await findTargetWithIt(repo)
  if (!found) return notOnTarget(repo)
  const { now, base, candidate } = found
  const [tree] = (await readTrees(path, [base])) as [Oid]
  const commits = { from: base, to: candidate, paths: [], limit: COMMITS_MAX }
  const lines = (await listSubjects(path, commits)).map((line) => `  ${line}`)
  // The message names the target, or two reverts in one second would be the same commit.
  const from = `${branchOf(target)} at ${now.slice(0, 12)}`
  const why = `This reverts landing ${landing.id} of task ${landing.task} on ${from}:`
  const message = [title, "", why, "", ...lines].join("\n")
  const head = await commitTree(path, { tree, parents: [candidate], message })
  return { name, path, target: branchOf(target), head, base: candidate }
}
