/**
 * Follows a task to another branch in its own worktree: one that it renamed (`git branch -m`), or
 * created there from the task's branch or the target (`git checkout -b`). Any other branch is a person's or
 * another task's, and never becomes the task's.
 *
 * @see docs/adr/0053-a-task-is-where-its-worktree-is.md
 */
import { branchOf, branchRef, type Oid, type RefName } from "../../base/ids.ts"
import { isAncestor } from "../git/ask/merge-base.ts"
import { type Reflogged, readReflog } from "../git/ask/reflog.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { deleteBranch } from "../git/change/branches.ts"
import type { Db } from "../store/open.ts"
import { listCalled } from "../tasks/rows/resolve.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import { recordBranch } from "../tasks/rows/task-repos/work.ts"
import { RefBusyError } from "./errors.ts"

/** We do not follow an agent through more branches, each created from the last. */
const STEPS_MAX = 20
/** The log message of a new branch. */
const BORN = /^branch: Created from (.+)$/
/** Git makes a branch and moves HEAD to it in one command. */
const APART_MS_MAX = 1_000
/** From a branch, or from the commit at which HEAD was detached. */
const MOVE = /^checkout: moving from (.+) to (.+)$/

type Standing = { readonly worktree: string; readonly ref: RefName; readonly commit: Oid }

/** @returns why the worktree's branch is not the task's. @throws {RefBusyError} */
export async function followBranch(
  db: Db,
  { id }: Pick<Task, "id">,
  repo: TaskRepo,
  standing: Standing,
): Promise<string | undefined> {
  const branch = branchOf(standing.ref)
  if (branch === repo.branch || repo.branch === null) return undefined
  const old = await readCommit(repo.path, branchRef(repo.branch))
  const why = await findObjection(db, { id, repo, own: repo.branch, old }, standing)
  if (why !== undefined) return `the worktree is on ${branch}, which ${why}`
  if (old && !(await deleteFormer(repo.path, { own: repo.branch, old, branch })))
    return `the worktree is on ${branch}, and there is a new commit on ${repo.branch}`
  recordBranch(db, { task: id, name: repo.name, branch })
  return undefined
}

/**
 * Deletes the branch that the new one contains; once it is forgotten, nothing else would.
 *
 * @param old the commit of it that the new one contains. @returns false if it is at another one. @throws {RefBusyError}
 */
async function deleteFormer(
  repo: string,
  { own, old, branch }: { readonly own: string; readonly old: Oid; readonly branch: string },
): Promise<boolean> {
  const reason = `coppice: the work goes on in ${branch}`
  const { kind } = await deleteBranch(repo, { branch: own, from: old, reason })
  if (kind === "locked") throw new RefBusyError(branchRef(own))
  return kind === "moved"
}

type Followed = {
  readonly id: Task["id"]
  readonly repo: TaskRepo
  readonly own: string
  /** The commit of `own`; undefined if the branch is gone. */
  readonly old: Oid | undefined
}

async function findObjection(
  db: Db,
  { id, repo: { path, base, target }, own, old }: Followed,
  { worktree, ref, commit }: Standing,
): Promise<string | undefined> {
  const branch = branchOf(ref)
  if (branch === target) return "is the target itself"
  if (old && !(await isAncestor(path, old, commit))) return `lacks commits of ${own}`
  if (base && !(await isAncestor(path, base, commit))) return `does not come from ${own}`
  const isOwn =
    (await isRenamed(path, ref, own)) || (await isBornThere(worktree, { ref, own, target }))
  if (!isOwn) return `was not made there from ${own}`
  const [other] = listCalled(db, branch, id)
  return other === undefined ? undefined : `belongs to task ${other}`
}

/** A renamed branch keeps its log. */
async function isRenamed(repo: string, ref: RefName, own: string): Promise<boolean> {
  const renamed = `Branch: renamed ${branchRef(own)} to `
  return (await readReflog(repo, ref)).some(({ reason }) => reason.startsWith(renamed))
}

type Birth = { readonly ref: RefName; readonly own: string; readonly target: string }

/**
 * Whether HEAD of the worktree came from `own` to the branch when that was made, detached in between or
 * not. It was made at the commit where HEAD stood, or at one of the target, so nothing of others came along.
 */
async function isBornThere(worktree: string, { ref, own, target }: Birth): Promise<boolean> {
  const tip = await readCommit(worktree, branchRef(target))
  const moves = await readReflog(worktree, "HEAD")
  let branch = branchOf(ref)
  for (let step = 0; step < STEPS_MAX; step++) {
    if (!(await readCommit(worktree, branchRef(branch)))) return false // so is its log
    const birth = (await readReflog(worktree, branchRef(branch))).at(-1)
    const start = birth && BORN.exec(birth.reason)?.[1]
    if (birth === undefined || start === undefined) return false
    const isOfTarget = tip !== undefined && (await isAncestor(worktree, birth.oid, tip))
    // `git checkout -b` without a start point says HEAD; a person's `git branch` names another branch.
    if (start !== "HEAD" && !isOfTarget) return false
    const from = findOrigin(moves, { branch, birth, isOfTarget })
    if (from === undefined || from === own) return from === own
    branch = from
  }
  return false
}

type Born = {
  readonly branch: string
  readonly birth: Reflogged
  /** The commit of its birth is one of the target. */
  readonly isOfTarget: boolean
}

/** The last branch on which HEAD stood before it moved to this one, at its birth. */
function findOrigin(
  moves: readonly Reflogged[],
  { branch, birth, isOfTarget }: Born,
): string | undefined {
  const isBirth = ({ oid, atMs, reason }: Reflogged, at: number) =>
    oid === birth.oid &&
    Math.abs(atMs - birth.atMs) <= APART_MS_MAX &&
    MOVE.exec(reason)?.[2] === branch &&
    (isOfTarget || moves[at + 1]?.oid === oid)
  const born = moves.findIndex(isBirth)
  if (born < 0) return undefined
  for (const [at, { reason }] of moves.entries()) {
    const from = at < born ? undefined : MOVE.exec(reason)?.[1]
    const wasDetached = from === moves[at + 1]?.oid
    if (from !== undefined && !wasDetached) return from
  }
  return undefined
}
