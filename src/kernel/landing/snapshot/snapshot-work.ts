/**
 * Takes the snapshot of work without an agent: its commits, and nothing else.
 *
 * Branch and worktree are not ours, so we commit, restore and remove nothing there, and do not
 * refresh git's index. An event names the files that do not land.
 */
import { existsSync } from "node:fs"
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { readMergeBase } from "../../git/ask/merge-base.ts"
import { findOperation, inProgress } from "../../git/ask/operation-in-progress.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { appendEvent } from "../../store/events.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import type { Rows, Step } from "../action.ts"
import type { ForeignFacts } from "../prompts/foreign-files.ts"
import type { UntidyFacts } from "../prompts/untidy.ts"
import { listLeftovers } from "./leftovers.ts"
import { findUnpushedSubmodules } from "./submodules.ts"

/** Paths that the event names; `git status` shows the others. */
const PATHS_TOLD_MAX = 100

export async function takeWork(step: Step<Rows>, repo: TaskRepo): Promise<Snapshot> {
  const { path, branch } = repo
  const given = findGiven(repo)
  const operation = given && (await findOperation(given))
  if (operation) return refused(inProgress(operation, given))
  const head = await readWork(step, repo)
  if (!head) return refused(`${branch ?? repo.worktree} no longer exists`)
  const worktree = await findPlaceOfWork(repo)
  if (worktree) await tellLeftovers(step, repo, worktree)
  const target = await readCommit(path, branchRef(repo.target))
  const base = target && (await readMergeBase(path, head, target))
  const unpushed = base ? await findUnpushedSubmodules({ repo: path, worktree, base, head }) : []
  if (unpushed.length === 0) return { kind: "taken", head }
  const named = unpushed.map(displayPath).join(", ")
  return refused(
    `submodules in ${worktree ?? path} hold commits that their remotes do not have: ${named}`,
  )
}

/** The branch as it is now, else HEAD of the worktree, else the submitted commit. */
async function readWork({ landing }: Step, repo: TaskRepo): Promise<Oid | undefined> {
  const { path, branch, worktree, name } = repo
  if (branch !== null) return await readCommit(path, branchRef(branch))
  if (worktree !== null) return existsSync(worktree) ? (await readHead(worktree)).commit : undefined
  const head = landing.repos.find((one) => one.name === name)?.head
  assert(head, "work without branch and worktree is a commit")
  return head
}

async function tellLeftovers(
  { context, landing, task }: Step<Rows>,
  { name }: TaskRepo,
  worktree: string,
): Promise<void> {
  const paths = await listLeftovers(worktree)
  if (paths.length === 0) return
  const told = paths.slice(0, PATHS_TOLD_MAX).map(displayPath)
  const data = { landing: landing.id, name, worktree, count: paths.length, paths: told }
  const event = { type: "landing.left_out", task: task.id, data } as const
  appendEvent(context.db, event, context.world.nowMs())
}

export type Snapshot =
  | { readonly kind: "taken"; readonly head: Oid }
  | { readonly kind: "refused"; readonly reason: string }
  /** The commits hold files that are not the agent's work. */
  | { readonly kind: "foreign"; readonly facts: ForeignFacts }
  /** The agent left its worktree so that it cannot be landed, and can put that right. */
  | {
      readonly kind: "untidy"
      readonly facts: UntidyFacts
      /** An operation, a conflict or a detached HEAD: a person may have begun it. */
      readonly isUnderWay: boolean
    }
  /** More is uncommitted than lands without a person's word. */
  | { readonly kind: "tooMuch"; readonly reason: string }
  /** `paths`: of the locks. */
  | { readonly kind: "locked"; readonly reason: string; readonly paths: readonly string[] }

export const refused = (reason: string): Snapshot => ({ kind: "refused", reason })

/** The named worktree, if it still exists. */
function findGiven({ worktree }: Pick<TaskRepo, "worktree">): string | undefined {
  return worktree !== null && existsSync(worktree) ? worktree : undefined
}

/** The same, else the one that has the branch checked out. */
export async function findPlaceOfWork(
  repo: Pick<TaskRepo, "path" | "branch" | "worktree">,
): Promise<string | undefined> {
  const { path, branch } = repo
  const given = findGiven(repo)
  if (given || branch === null) return given
  const worktrees = await listWorktrees(path)
  return worktrees.find((one) => one.branch === branchRef(branch) && !one.prunable)?.path
}
