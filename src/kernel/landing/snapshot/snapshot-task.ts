/**
 * Takes the snapshot of a task's own worktree: leftovers become a commit on its branch.
 *
 * A worktree with an operation in progress is refused and stays as it is. Without a worktree, the branch
 * alone is the work. For work without an agent see snapshot-work.ts.
 */
import { existsSync } from "node:fs"
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { listGitlinks } from "../../git/ask/gitlinks.ts"
import { readHead } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { listRefLocks } from "../../git/ask/ref-lock.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { TaskRepo } from "../../tasks/rows/row.ts"
import { followBranch } from "../../workspaces/follow-branch.ts"
import { followWorktree } from "../../workspaces/follow-worktree.ts"
import { mendBranch } from "../../workspaces/mend-branch.ts"
import type { Configured, Refs, Rows, Step } from "../action.ts"
import { isDirty } from "../gate/restore-worktree.ts"
import type { UntidyFacts } from "../prompts/untidy.ts"
import { putHiddenAside } from "./hidden-edits.ts"
import { commitLeftovers } from "./leftovers.ts"
import { leftoversMessage } from "./leftovers-message.ts"
import { refused, type Snapshot } from "./snapshot-work.ts"
import { findUnpushedSubmodules } from "./submodules.ts"
import { untidyFiles, untidyHead, untidyOperation } from "./untidy-worktree.ts"
import { putOnTarget } from "./written-over.ts"

export async function takeTask(
  step: Step<Rows & Refs & Configured>,
  recorded: TaskRepo,
): Promise<Snapshot> {
  const repo = followWorktree(step.context.db, step.task, recorded)
  assert(repo.branch, "a task that lands has a branch")
  const { worktree } = repo
  if (!worktree || !existsSync(worktree)) {
    const ref = branchRef(repo.branch)
    const tip = await readCommit(repo.path, ref)
    if (!tip) return refused(`neither the worktree nor the branch ${repo.branch} exists any more`)
    const at = { cwd: repo.path, ref, head: tip, message: messageOf(step) }
    const head = await putOnTarget(step, repo, at)
    return head ? { kind: "taken", head } : locked(repo.path, ref)
  }
  if (!(await isWorktreeOf(worktree, repo.path)))
    return refused(`${worktree} is no longer a worktree of ${repo.path}`)
  await mendBranch(repo)
  const operation = await findOperation(worktree)
  if (operation) return underWay(untidyOperation(operation, worktree))
  const head = await readHead(worktree)
  if (head.kind === "branch" && head.commit)
    return takeFrom(step, repo, { worktree, ref: head.ref, commit: head.commit })
  const tip = await readCommit(worktree, branchRef(repo.branch))
  if (head.kind === "detached" && tip && (await isAncestor(worktree, head.commit, tip)))
    return takeDetached(worktree, { ...repo, branch: repo.branch }, tip)
  const reason = `HEAD in ${worktree} is detached and holds commits that ${repo.branch} does not`
  return underWay(untidyHead(reason, repo.branch))
}

const underWay = (facts: UntidyFacts): Snapshot => ({ kind: "untidy", facts, isUnderWay: true })

/**
 * HEAD is detached at a commit that the branch contains. The branch is the work if the worktree is
 * clean.
 */
async function takeDetached(
  worktree: string,
  repo: TaskRepo & { readonly branch: string },
  tip: Oid,
): Promise<Snapshot> {
  if (await isDirty(worktree, repo)) {
    const reason = `HEAD in ${worktree} is detached and there are uncommitted changes`
    return underWay(untidyHead(reason, repo.branch))
  }
  return { kind: "taken", head: tip }
}

async function takeFrom(
  step: Step<Rows & Refs & Configured>,
  repo: TaskRepo,
  { worktree, ref, commit }: { worktree: string; ref: RefName; commit: Oid },
): Promise<Snapshot> {
  const { context, task } = step
  const other = await followBranch(context.db, task, repo, { worktree, ref, commit })
  if (other) return refused(other)
  if (task.agent === null) await putHiddenAside(step, worktree)
  const message = messageOf(step)
  const left = await commitLeftovers(worktree, { commit, ref, message, repo })
  if (left.kind === "unresolved") {
    const isUnderWay = left.unresolved.some(({ kind }) => kind === "conflict")
    return { kind: "untidy", facts: await untidyFiles(worktree, left.unresolved), isUnderWay }
  }
  if (left.kind === "tooMuch") return { kind: "tooMuch", reason: tooMuch(worktree, left) }
  if (left.kind === "locked") return locked(worktree, ref)
  await context.world.point("snapshotting: committed")
  const head = await putOnTarget(step, repo, { cwd: worktree, ref, head: left.head, message })
  if (!head) return locked(worktree, ref)
  const range = { repo: worktree, worktree, head }
  // The index is now as the head, so without links to commits there the head has none.
  const isAsked = repo.base && (await listGitlinks(worktree)).length > 0
  const unpushed = isAsked ? await findUnpushedSubmodules({ ...range, base: repo.base }) : []
  if (unpushed.length === 0) return { kind: "taken", head }
  const named = unpushed.map(displayPath).join(", ")
  return refused(`submodules in ${worktree} hold commits that their remotes do not have: ${named}`)
}

const messageOf = ({ context, task }: Step<Configured>): string =>
  leftoversMessage(context.agentConfig(task), task)

async function locked(cwd: string, ref: RefName): Promise<Snapshot> {
  const reason = `${ref} in ${cwd} is being changed by another process`
  return { kind: "locked", reason, paths: await listRefLocks(cwd, ref) }
}

function tooMuch(
  worktree: string,
  { amount, named }: { readonly amount: string; readonly named: string },
): string {
  const git = `git -C ${shellWord(worktree)}`
  return (
    `${amount} that no commit has are more than lands unseen (${named}): ` +
    `delete them or list them in .gitignore, or commit them as they are ` +
    `(\`${git} add -A && ${git} commit -m "<words>"\`)`
  )
}
