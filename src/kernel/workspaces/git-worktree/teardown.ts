/**
 * Removes a task's worktree and branch, after saving work that is nowhere else.
 *
 * The one rule of removal: a worktree goes when its task is over and all its work is in the target,
 * on a branch that stays, or in a rescue. Landings, cancelled and deleted tasks, a person's request
 * and clean-up all end here, each with the task's lock. The pool removes only worktrees that belong to
 * no task. So two removals of one worktree never meet.
 *
 * The branch's tip is read first and the branch deleted last, by compare-and-delete. A commit that
 * arrives in between is saved as well: once the worktree is gone, no later one is made there. Work
 * that cannot be saved, or is not ours, stays, and the reason is returned. A transient error is
 * thrown: the caller repeats all of it, which is safe.
 */
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { AppError, isTransient } from "../../../base/errors.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { type LinkedWorktree, listLinked } from "../../git/ask/linked-worktrees.ts"
import { listOwnCommits } from "../../git/ask/list-refs.ts"
import { gitDir, readCommit } from "../../git/ask/rev-parse.ts"
import type { Db } from "../../store/open.ts"
import { listTurnTimes } from "../../tasks/rows/turns/find.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { removeOwnWorktree } from "../removal.ts"
import { type IgnoredResults, rescueIgnored } from "../rescue/ignored-results.ts"
import { rescueLeftBehind } from "../rescue/left-behind.ts"
import { type Rescue, rescueCommit, rescueWorktree } from "../rescue/rescue.ts"
import { rescueStashes, stashNotice } from "../stashes/left-stashes.ts"
import type { Owner } from "../task-refs.ts"
import type { TornDown, WorkspaceToRemove } from "../workspace.ts"
import { deleteUnused } from "./delete-unused.ts"
import { endFilling, isUnfilled } from "./fill-worktree.ts"
import { inspections } from "./inspections.ts"
import { findRemovalBlocker } from "./removal-blocker.ts"
import { readRepository, type WorktreeContext } from "./worktree-context.ts"

/** @throws {import("../errors.ts").RefBusyError} while git holds the branch's lock; {AppError} if transient. */
export async function tearDownWorktree(
  context: WorktreeContext,
  workspace: WorkspaceToRemove,
): Promise<TornDown> {
  const { root, commonDir } = await readRepository(workspace.repo)
  const { branch, before, worktree, placed } = workspace
  if (before) {
    const blocker = await findRemovalBlocker(context.db, { root, commonDir }, worktree, placed)
    if (blocker === undefined) await before()
  }
  const tip = branch === undefined ? undefined : await readCommit(root, branchRef(branch))
  const saved = await inspections.run(() => save(context, { root, commonDir, workspace, tip }))
  const { rescued } = saved
  const keep = (why: string) =>
    ({ rescued, worktree: "kept", branch: "kept", notices: [why] }) as const
  if (saved.blocker !== undefined) return keep(saved.blocker)
  return await withRepoLock(commonDir, async () => {
    const stays = await removeOwnWorktree(context, { root, commonDir }, worktree)
    if (stays !== undefined) return keep(stays)
    const unused = { ...workspace, ...context, branch, tip, rescued }
    const left = await deleteUnused(root, unused)
    return {
      rescued,
      worktree: "removed",
      branch: left ? "kept" : "deleted",
      notices: [...(left ? [left] : []), ...saved.notices],
    }
  })
}

type ToSave = {
  readonly root: string
  readonly commonDir: string
  readonly workspace: WorkspaceToRemove
  readonly tip: Oid | undefined
}

type Saved = {
  readonly rescued: Rescue[]
  readonly blocker: string | undefined
  readonly notices: readonly string[]
}

/**
 * @returns with a reason to keep it when something could not be saved, or is not ours to remove.
 */
async function save(
  { home, db }: WorktreeContext,
  { root, commonDir, workspace, tip }: ToSave,
): Promise<Saved> {
  const { worktree, placed } = workspace
  const owner = { home, task: workspace.task }
  const rescued: Rescue[] = []
  try {
    const blocker = await findRemovalBlocker(db, { root, commonDir }, worktree, placed)
    if (blocker !== "absent") {
      if (blocker !== undefined) return { rescued, blocker, notices: [] }
      const rescue = await saveFiles(workspace, owner)
      if (rescue) rescued.push(rescue)
      const nested = rescue?.nested.join(", ")
      if (nested)
        return { rescued, blocker: `${worktree} holds repositories: ${nested}.`, notices: [] }
    }
    const ignored = blocker === "absent" ? undefined : await saveIgnored(db, workspace, owner)
    if (ignored?.rescue) rescued.push(ignored.rescue)
    const entry = listLinked(commonDir).find(({ path }) => path === worktree)
    const tips = [...(tip ? [tip] : []), ...(entry ? await listOwnCommits(root, entry.gitDir) : [])]
    const safe = () => [...workspace.safeCommits, ...rescued.map(({ commit }) => commit)]
    for (const commit of new Set(tips)) {
      const request = { ...workspace, owner, safeCommits: safe() }
      const rescue = await rescueCommit(root, commit, request)
      if (rescue) rescued.push(rescue)
    }
    const safeCommits = [...safe(), ...tips]
    const left = entry && (await saveLeftBehind(workspace, entry, { owner, safeCommits }))
    if (left) rescued.push(left)
    const { branch } = workspace
    const made = branch === undefined ? undefined : { branch, gitDir: entry?.gitDir }
    const stashes = made ? await rescueStashes(root, made, { ...workspace, owner }) : []
    const notices = ignored ? [ignored.notice] : []
    if (stashes.length > 0) notices.push(stashNotice(stashes))
    return { rescued: [...rescued, ...stashes], blocker: undefined, notices }
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug" || isTransient(error)) throw error
    return { rescued, blocker: error.message, notices: [] } // kept whole: nothing is removed that is not saved
  }
}

/**
 * Saves commits that only the logs of worktree and branch lead to: the logs are deleted as well.
 */
async function saveLeftBehind(
  { repo, branch, reason }: WorkspaceToRemove,
  { gitDir }: LinkedWorktree,
  { owner, safeCommits }: { readonly owner: Owner; readonly safeCommits: readonly Oid[] },
): Promise<Rescue | undefined> {
  const ref = branch === undefined ? undefined : branchRef(branch)
  return await rescueLeftBehind(repo, { owner, safeCommits, reason, gitDir, branch: ref })
}

/** The files of a checkout that was cut short are not work. */
async function saveFiles(workspace: WorkspaceToRemove, owner: Owner): Promise<Rescue | undefined> {
  const dir = await gitDir(workspace.worktree)
  await endFilling(dir)
  if (isUnfilled(dir) || (await isOnlyBegun(workspace.worktree, dir))) return undefined
  return await rescueWorktree(workspace.worktree, { ...workspace, owner })
}

/** Files that git ignores and that the task's agents wrote. */
async function saveIgnored(
  db: Db,
  { worktree, task, placed, reason }: WorkspaceToRemove,
  owner: Owner,
): Promise<IgnoredResults | undefined> {
  const turns = task === "pool" ? [] : listTurnTimes(db, task)
  return await rescueIgnored(worktree, { owner, placed, reason, turns })
}

/** Whether git was killed while it added the worktree, which has no files and no HEAD yet. */
async function isOnlyBegun(worktree: string, dir: string): Promise<boolean> {
  if (existsSync(join(dir, "index"))) return false
  return (await readdir(worktree)).every((name) => name === ".git")
}
