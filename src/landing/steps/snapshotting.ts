/**
 * Takes the snapshot: exactly the commits that will land.
 *
 * Leftovers become a commit on the task's branch. A worktree with an operation in progress is
 * refused and stays as it is. Without a worktree, the branch alone is the work. For work without an
 * agent see snapshot-work.ts.
 */
import { existsSync } from "node:fs"
import { assert } from "../../core/assert.ts"
import { branchRef, type Oid, type RefName } from "../../core/ids.ts"
import type { ForeignFacts } from "../../core/prompts/foreign-files.ts"
import { shellWord } from "../../core/shell-word.ts"
import { listGitlinks } from "../../git/ask/gitlinks.ts"
import { readHead } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { findOperation } from "../../git/ask/operation.ts"
import { listRefLocks } from "../../git/ask/ref-lock.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { displayPath } from "../../git/start/path.ts"
import type { PendingApproval } from "../../store/approvals.ts"
import { recordRescued } from "../../store/rescues.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"
import { followBranch } from "../../workspaces/follow-branch.ts"
import { followWorktree } from "../../workspaces/follow-worktree.ts"
import { findKept, keep } from "../../workspaces/keep-refs.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import {
  type Action,
  type Configured,
  type Outcome,
  ownerOf,
  type Refs,
  type Rows,
  type Step,
} from "../action.ts"
import { blocked } from "../blocked.ts"
import { type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import { gateFilesReason, listGateFiles } from "../gate/gate-files.ts"
import { isDirty } from "../gate/restore.ts"
import { listOpen } from "../landing-repos.ts"
import { mendLeft } from "../move/mend-left.ts"
import { findForeign } from "../snapshot/foreign.ts"
import { putHiddenAside } from "../snapshot/hidden-edits.ts"
import { commitLeftovers } from "../snapshot/leftovers.ts"
import { findUnapproved } from "../snapshot/review.ts"
import { refused, type Snapshot, takeWork } from "../snapshot/snapshot-work.ts"
import { findUnpushedSubmodules } from "../snapshot/submodules.ts"
import { handBackOrFail } from "../verdict.ts"

export const snapshotting: Action<FreshTrees> = async (step) => {
  for (const repo of step.landing.repos) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits
  }
  for (const repo of step.landing.repos) await removeTree(step, repo) // left by an interrupted landing
  if (step.landing.decided) return takeAgain(step)
  const heads = []
  for (const repo of step.task.repos) {
    const isOurs = step.task.strategy !== null
    const snapshot = await onlyWork(
      step,
      repo,
      isOurs ? await take(step, repo) : await takeWork(step, repo),
    )
    if (snapshot.kind === "locked") return blocked(step, "LOCKED", snapshot)
    if (snapshot.kind === "refused") return failed(snapshot.reason)
    if (snapshot.kind === "tooMuch") return blocked(step, "TOO_MUCH_LEFT", snapshot)
    if (snapshot.kind === "foreign") return handBack(step, repo, snapshot.facts)
    await keepHead(step, repo, snapshot.head)
    heads.push({ name: repo.name, head: snapshot.head, base: null, candidate: null })
  }
  if (step.task.land === "pr") return { event: "shippingStarted", repos: heads }
  return (await askForReview(step, heads)) ?? { event: "snapshotted", repos: heads }
}

async function onlyWork(
  step: Step<Configured>,
  repo: TaskRepo,
  snapshot: Snapshot,
): Promise<Snapshot> {
  if (snapshot.kind !== "taken") return snapshot
  const facts = await findForeign(step, repo, snapshot.head)
  return facts ? { kind: "foreign", facts } : snapshot
}

function handBack(step: Step<Configured>, { name }: TaskRepo, foreign: ForeignFacts): Outcome {
  const repo = step.landing.repos.find((one) => one.name === name)
  assert(repo, "a task's repositories are its landing's")
  return handBackOrFail(step, "FOREIGN_FILES", { repo, foreign })
}

/** @returns undefined if no approval is missing. */
async function askForReview(
  step: Step<Rows & Configured>,
  heads: readonly { readonly name: string; readonly head: Oid }[],
): Promise<Outcome | undefined> {
  const unapproved = await findUnapproved(
    step,
    new Map(heads.map(({ name, head }) => [name, head])),
  )
  if (unapproved.length === 0) return undefined
  const repos = heads.map(({ name, head }) => {
    const base = unapproved.find((one) => one.name === name)?.base ?? null
    return { name, head, base, candidate: null }
  })
  const flagged = await listFlagged(step, unapproved)
  const reason = flagged.length > 0 ? gateFilesReason(flagged) : null
  return { event: "reviewRequested", outcome: null, reason, details: null, repos }
}

/** The gate's own files among the changes that a person has to approve. */
async function listFlagged(
  { context, landing }: Step<Configured>,
  unapproved: readonly PendingApproval[],
): Promise<readonly string[]> {
  const flagged = unapproved.map(async ({ name, base, head }) => {
    const repo = landing.repos.find((one) => one.name === name)
    return repo ? await listGateFiles(context, { ...repo, base, candidate: head }) : []
  })
  return (await Promise.all(flagged)).flat()
}

/**
 * Part of the landing is published, so the rest lands from the same snapshot. Later work of an
 * agent or a person stays where it is.
 */
function takeAgain({ landing }: Step): Outcome {
  // A candidate that may be at its remote is what has landed there.
  const open = listOpen(landing).filter(({ fence, pushed }) => fence === null && !pushed)
  const repos = open.map(({ name }) => ({ name, base: null, candidate: null }))
  return { event: "snapshotted", repos }
}

async function take(step: Step<Rows & Refs & Configured>, recorded: TaskRepo): Promise<Snapshot> {
  const repo = followWorktree(step.context.db, step.task, recorded)
  assert(repo.branch, "a task that lands has a branch")
  const { worktree } = repo
  if (!worktree || !existsSync(worktree)) {
    const head = await readCommit(repo.path, branchRef(repo.branch))
    if (!head) return refused(`neither the worktree nor the branch ${repo.branch} exists any more`)
    return { kind: "taken", head }
  }
  if (!(await isWorktreeOf(worktree, repo.path)))
    return refused(`${worktree} is no longer a worktree of ${repo.path}`)
  const operation = await findOperation(worktree)
  if (operation) return refused(`a ${operation} is in progress in ${worktree}`)
  const head = await readHead(worktree)
  if (head.kind === "branch" && head.commit)
    return takeFrom(step, repo, { worktree, ref: head.ref, commit: head.commit })
  const tip = await readCommit(worktree, branchRef(repo.branch))
  if (head.kind === "detached" && tip && (await isAncestor(worktree, head.commit, tip)))
    return takeDetached(worktree, repo, tip)
  return refused(`HEAD in ${worktree} is detached and holds commits that ${repo.branch} does not`)
}

/**
 * HEAD is detached at a commit that the branch contains. The branch is the work if the worktree is
 * clean.
 */
async function takeDetached(worktree: string, { placed }: TaskRepo, tip: Oid): Promise<Snapshot> {
  if (await isDirty(worktree, placed))
    return refused(`HEAD in ${worktree} is detached and there are uncommitted changes`)
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
  const { commitMessage } = context.agentConfig(task).workspace
  const message = commitMessage.replaceAll("{summary}", () => task.title)
  const left = await commitLeftovers(worktree, { commit, ref, message, placed: repo.placed })
  if (left.kind === "unresolved") {
    const named = left.paths.map(displayPath).join(", ")
    return refused(
      `unresolved files, nested repositories or changed submodules in ${worktree}: ${named}`,
    )
  }
  if (left.kind === "tooMuch") return { kind: "tooMuch", reason: tooMuch(worktree, left) }
  if (left.kind === "locked")
    return {
      kind: "locked",
      reason: `${ref} in ${worktree} is being changed by another process`,
      paths: await listRefLocks(worktree, ref),
    }
  await context.world.point("snapshotting: committed")
  const { head } = left
  const range = { repo: worktree, worktree, head }
  // The index is now as the head, so without links to commits there the head has none.
  const isAsked = repo.base && (await listGitlinks(worktree)).length > 0
  const unpushed = isAsked ? await findUnpushedSubmodules({ ...range, base: repo.base }) : []
  if (unpushed.length === 0) return { kind: "taken", head }
  const named = unpushed.map(displayPath).join(", ")
  return refused(`submodules in ${worktree} hold commits that their remotes do not have: ${named}`)
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

const failed = (reason: string): Outcome => ({ event: "failed", outcome: "WORKTREE_ERROR", reason })

/**
 * Keeps the snapshot reachable, and commits of an earlier one that it no longer contains.
 *
 * For its gate a landing moves the task's branch to the candidate, so the next snapshot may be a
 * replay of the last one. Then we keep the agent's original commits. If the agent has gone on from
 * the candidate, its earlier commits are rescued.
 *
 * @throws {RefBusyError}
 */
async function keepHead(
  step: Step<Rows & Refs>,
  { path }: Pick<TaskRepo, "path">,
  head: Oid,
): Promise<void> {
  const owner = ownerOf(step)
  const kept = await findKept(path, owner, "head")
  const isWritten = step.landing.undoes === null // a revert can be made again
  if (isWritten && kept && kept !== head) {
    if ((await findKept(path, owner, "candidate")) === head) return
    const reason = `the snapshot of landing ${step.landing.id} took its place`
    recordRescued(step.context, step.task.id, [
      await rescueCommit(path, kept, { owner, contained: [head], reason }),
    ])
  }
  await keep(path, owner, { kept: "head", commit: head })
}
