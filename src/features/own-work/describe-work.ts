/** Describes what landing a person's own work would include, and refuses work that cannot land. */

import type { WorkTakenDocument, WorkToLand } from "../../api/wire/landings.ts"
import { branchRef } from "../../base/ids.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { listSubjects } from "../../kernel/git/ask/log.ts"
import { readMergeBase } from "../../kernel/git/ask/merge-base.ts"
import { countCommits } from "../../kernel/git/ask/rev-list.ts"
import { readStatus } from "../../kernel/git/ask/status.ts"
import { listWorktrees } from "../../kernel/git/ask/worktree-list.ts"
import { displayPath } from "../../kernel/git/start/git-path.ts"
import type { Home } from "../../kernel/home.ts"
import { findTakenBack } from "../../kernel/landing/rows/landed.ts"
import type { Db } from "../../kernel/store/open.ts"
import { findCommands } from "../../kernel/tasks/actions/find-commands.ts"
import { findTarget, type TaskTarget } from "../../kernel/tasks/actions/target.ts"
import type { FoundWork } from "./find-work.ts"

/** We count all commits and paths, and name at most this many. */
const SUBJECTS_MAX = 20
const PATHS_MAX = 20

/**
 * @throws {DaemonError} `work.refused`, `programs.missing`, or the errors of {@link findTarget}
 *   (user).
 */
export async function describeWork(
  { home, db }: Pick<Home, "home" | "db">,
  work: FoundWork,
  { target: wanted }: Pick<WorkToLand, "target">,
): Promise<WorkTakenDocument> {
  const { repo, root, branch, worktree, head } = work
  const onto = await findTarget(home, repo, wanted)
  const leftOut = await readLeftOut(work)
  refuseTarget(work, onto)
  const base = await readMergeBase(root, onto.commit, head)
  if (!base)
    throw new DaemonError("work.refused", `${nameOf(work)} and ${onto.target} share no history.`)
  const commits = await countCommits(root, { from: onto.commit, to: head })
  if (commits === 0) throw nothingToLand(db, work, onto, leftOut)
  const range = { from: onto.commit, to: head, paths: [], limit: SUBJECTS_MAX }
  const { gate } = await findCommands(repo, { path: root, commit: onto.commit }, undefined)
  return {
    repo: repo.name,
    path: root,
    branch,
    worktree,
    head,
    target: onto.target,
    gate: gate ?? null,
    commits,
    subjects: await listSubjects(root, range),
    leftOut,
  }
}

const nameOf = ({ branch, worktree, head }: FoundWork) => branch ?? worktree ?? head

function refuseTarget({ branch, worktree, root }: FoundWork, { target }: TaskTarget): void {
  if (branch !== target) return
  const where = worktree === null ? target : `${worktree} is on ${target}, which`
  throw new DaemonError("work.refused", `${where} is the target itself.`, [
    worktree === root || worktree === null
      ? "Name the branch whose commits you want to land, or another target with `--target`."
      : "`git switch -c <branch>` makes a branch of what you have there.",
  ])
}

function nothingToLand(
  db: Db,
  work: FoundWork,
  { target }: TaskTarget,
  leftOut: WorkTakenDocument["leftOut"],
): DaemonError {
  const { root, head } = work
  const undone = findTakenBack(db, { path: root, target: branchRef(target), head })
  if (undone && !leftOut)
    return new DaemonError(
      "work.refused",
      `Task ${undone.task} landed ${nameOf(work)} on ${target}, and task ${undone.undo} took it back: its commits are in the history of ${target}, and do not land twice.`,
      [`\`coppice undo ${undone.undo}\` undoes the undo, and so brings the work back.`],
    )
  const message = `${nameOf(work)} has no commits that ${target} does not have.`
  const hint = leftOut
    ? `Only commits land. Commit your changes in ${leftOut.worktree} first: ${leftOut.count} uncommitted.`
    : `\`git log ${shellWord(target)}..<branch>\` lists what would land.`
  return new DaemonError("work.refused", message, [hint])
}

/** The uncommitted changes, which do not land. Changes nothing: the worktree belongs to a person. */
async function readLeftOut(work: FoundWork): Promise<WorkTakenDocument["leftOut"]> {
  const { root, branch } = work
  const worktreeOf = async (name: string) =>
    (await listWorktrees(root)).find((one) => one.branch === branchRef(name) && !one.prunable)?.path
  const worktree = work.worktree ?? (branch === null ? undefined : await worktreeOf(branch))
  if (!worktree) return null
  const { staged, unstaged, unmerged, untracked } = await readStatus(worktree)
  const all = [...new Set([...staged, ...unstaged, ...unmerged, ...untracked])]
  if (all.length === 0) return null
  return { worktree, count: all.length, paths: all.slice(0, PATHS_MAX).map(displayPath) }
}
