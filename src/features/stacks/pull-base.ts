/**
 * Finds the branch that a pull request leads into. That is the branch of the lower task (`--on`) while
 * the lower task's pull request is open, and otherwise the target.
 *
 * It reads only rows, so the answer can be older than the forge's. The next poll corrects it.
 */
import { branchOf, type Oid, type RefName, type TaskId } from "../../base/ids.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import type { Rows, Step } from "../../kernel/landing/action.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listPullRequests, type PullRequest } from "../pull-requests/rows.ts"
import { findLower } from "./rows.ts"

export type Below =
  | { readonly kind: "target" }
  /** `commit`: the last commit that Coppice pushed to the branch. */
  | {
      readonly kind: "branch"
      readonly task: TaskId
      readonly branch: string
      readonly commit: Oid
    }
  /** The lower task has no pull request yet, has work that is not pushed, or is being cleaned up. */
  | { readonly kind: "later"; readonly task: TaskId }
  /** A person has to decide. */
  | { readonly kind: "closed"; readonly reason: string }

const TARGET = { kind: "target" } as const

export function findBelow(
  db: Db,
  task: TaskId,
  { name, address, number: own }: Pick<PullRequest, "name" | "address" | "number">,
): Below {
  const lower = findLower(db, task)
  if (!lower || lower.isOff) return TARGET
  const { id } = lower
  const row = listPullRequests(db, id).find((one) => one.name === name && one.address === address)
  const other = findTask(db, id)
  if (!row || !other) return TARGET
  const closed = (what: string): Below => ({ kind: "closed", reason: `task ${id}, ${what}` })
  if (other.state === "cancelled") return closed("whose work it starts from, was cancelled")
  if (row.state === "closed")
    return closed("whose work it starts from, has a pull request that was closed without a merge")
  if (other.reason?.code === "not_pushed")
    return closed("whose work it starts from, was not pushed")
  if (other.state === "complete") return TARGET
  const { state, number, branch, pushed } = row
  if (state !== "open" || number === null || branch === null || pushed === null)
    return { kind: "later", task: id }
  // Before its first push, work may start from a snapshot that is not pushed yet.
  if (own === null && hasMore(db, id, { name, pushed })) return { kind: "later", task: id }
  return { kind: "branch", task: id, branch, commit: pushed }
}

function hasMore(
  db: Db,
  task: TaskId,
  { name, pushed }: { readonly name: string; readonly pushed: Oid },
): boolean {
  const head = findLandingOfTask(db, task)?.repos.find((repo) => repo.name === name)?.head ?? null
  return head !== null && head !== pushed
}

/** The name of the branch that the pull request leads into. */
export const baseOf = (below: Below, { target }: { readonly target: RefName }): string =>
  below.kind === "branch" ? below.branch : branchOf(target)

/**
 * Whether the task's commits must be replayed onto `onto`: they start from a commit that `onto` lacks.
 * If the agent has rebased its work, it no longer starts there, and needs no replay. A complete lower
 * task may be deleted; then the branch in the pull request's row shows that there was one.
 */
export async function mustRestack(
  { context, task }: Step<Rows>,
  repo: LandingRepo,
  { pull, onto }: { readonly pull: Pick<PullRequest, "base">; readonly onto: Oid },
): Promise<boolean> {
  const { path, head, target, name } = repo
  const start = task.repos.find((one) => one.name === name)?.base ?? null
  const isUpper = pull.base !== null && pull.base !== branchOf(target)
  if (!isUpper && findLower(context.db, task.id) === undefined) return false
  if (start === null || head === null) return false
  return (await isAncestor(path, start, head)) && !(await isAncestor(path, start, onto))
}
