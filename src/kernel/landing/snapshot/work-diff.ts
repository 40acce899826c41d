/**
 * Shows a task's changes in a repository, against its base or against the target as a landing now
 * would change it. After a landing, shows the landed changes. Changes nothing.
 */
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { readDivergence } from "../../git/ask/merge-base.ts"
import { readCommit, readTrees } from "../../git/ask/rev-parse.ts"
import { readCommitSettings } from "../../git/ask/settings.ts"
import type { MergeConflict } from "../../git/change/merge-conflict.ts"
import type { Task, TaskRepo } from "../../tasks/rows/row.ts"
import { isFastForward } from "../candidate/candidate.ts"
import { replay } from "../candidate/replay.ts"
import { findBase } from "../candidate/work-base.ts"
import type { Landing } from "../rows/row.ts"
import { readWorkNow, type WorkNow } from "./work-now.ts"

export type Against = "base" | "target"

export type WorkDiff = {
  /** Commits; `to` may be one that nothing points at. */
  readonly from: Oid
  readonly to: Oid
  readonly leftovers: WorkNow["leftovers"]
  /** Set if the work conflicts with the target. Then it is shown against its base. */
  readonly conflicts: readonly MergeConflict[]
  readonly notices: readonly string[]
}

export type DiffRequest = {
  readonly task: Task
  readonly landing: Landing | undefined
  readonly against: Against
}

/** For candidates that never land. */
const COMMITTER = { name: "Coppice", email: "coppice@localhost" }

/** @returns a sentence if there is nothing to show. */
export async function diffWork(repo: TaskRepo, asked: DiffRequest): Promise<WorkDiff | string> {
  const { task, landing, against } = asked
  const { mergeBase, mergeTip, takenBack, path, target: branch } = repo
  if (task.state === "complete" && mergeBase && mergeTip) {
    const notices = takenBack ? ["It was taken back since."] : []
    return { from: mergeBase, to: mergeTip, leftovers: [], conflicts: [], notices }
  }
  const work = await readWorkNow(task, repo, landing)
  if (!work) return "There is no work yet, or it no longer exists."
  const target = await readCommit(path, branchRef(branch))
  if (!target) return `The target ${branch} does not exist.`
  const { leftovers, notices, whole } = work
  const { mergeBases, ahead, treeB: ontoTree } = await readDivergence(path, whole, target)
  const base = await findBase(path, repo, { head: whole, mergeBase: mergeBases[0] })
  if (!base) return `${branch} and the work share no history.`
  const shown = { from: base, to: whole, leftovers, conflicts: [], notices }
  const sides = { base, mergeBases, ahead, head: whole, onto: target, ontoTree }
  const found = against === "base" ? shown : await ontoTarget(repo, { task, sides, shown })
  const approvalBase = landing?.state === "in_review" ? baseOf(landing, repo) : null
  if (approvalBase === null || !(await isNothing(path, found))) return found
  const notice = `${branch} has it already, and it waits for an approval.`
  return { ...shown, from: approvalBase, notices: [...notices, notice] }
}

/** The commit after which the work in review begins. Null: it needs no approval. */
const baseOf = ({ repos }: Landing, { name }: TaskRepo): Oid | null =>
  repos.find((one) => one.name === name)?.base ?? null

async function isNothing(path: string, { from, to }: WorkDiff): Promise<boolean> {
  const [before, after] = await readTrees(path, [from, to])
  return before === after
}

type Sides = Pick<
  Parameters<typeof replay>[1],
  "base" | "mergeBases" | "ahead" | "head" | "onto" | "ontoTree"
>

async function ontoTarget(
  { path, target: branch }: TaskRepo,
  { task, sides, shown }: { readonly task: Task; readonly sides: Sides; readonly shown: WorkDiff },
): Promise<WorkDiff> {
  const { base, onto, head, mergeBases } = sides
  if (base === head) return { ...shown, from: onto, to: onto }
  const refs = { path, target: branchRef(branch) }
  if (await isFastForward(refs, { target: onto, base, mergeBase: mergeBases[0] }))
    return { ...shown, from: onto }
  const settings = { ...(await readCommitSettings(path)), committer: COMMITTER }
  const replayed = await replay(path, { ...sides, settings, nowMs: 0, title: task.title })
  if (replayed.kind === "replayed") return { ...shown, from: onto, to: replayed.candidate }
  const conflicts = await replayed.readConflicts()
  assert(conflicts.length > 0, "a conflict has paths")
  const notices = [`It conflicts with ${branch}, so it is shown against its base.`]
  return { ...shown, conflicts, notices: [...shown.notices, ...notices] }
}
