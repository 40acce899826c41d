/**
 * Removes a task's worktree and branch, after saving what is nowhere else.
 *
 * The branch's tip is read first and the branch deleted last, by compare-and-delete: a commit that
 * arrives in between survives on the branch. What cannot be saved, or is not ours, is left where it
 * is and told. Safe to repeat: a second time finds less to do.
 */
import { setTimeout as delay } from "node:timers/promises"
import { AppError } from "../../core/errors.ts"
import { branchRef, type Oid } from "../../core/ids.ts"
import { deleteBranch } from "../../git/refs/branches.ts"
import { isNowhere } from "../../git/refs/heads.ts"
import { listOwnRefs } from "../../git/refs/own-refs.ts"
import { gitDir, readCommit } from "../../git/repository/rev-parse.ts"
import { type LinkedWorktree, listLinked } from "../../git/worktrees/linked-worktrees.ts"
import { FolderStaysError } from "../../git/worktrees/trash.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import { removeWorktree } from "../../git/worktrees/worktree-remove.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { rescueLeftBehind } from "../rescue/left-behind.ts"
import { type Rescue, rescueCommit, rescueWorktree } from "../rescue.ts"
import type { Owner } from "../task-refs.ts"
import type { TornDown, WorkspaceToRemove } from "../workspace.ts"
import { readRepository, type WorktreeContext } from "./context.ts"
import { endFilling, isUnfilled } from "./fill.ts"
import { findHindrance } from "./hindrance.ts"
import { looks } from "./looks.ts"

export async function tearDownWorktree(
  context: WorktreeContext,
  workspace: WorkspaceToRemove,
): Promise<TornDown> {
  const { root, commonDir } = await readRepository(workspace.repo)
  const { branch, before, worktree, placed } = workspace
  if (before && (await findHindrance(root, worktree, placed)) === undefined) await before()
  const tip = branch === undefined ? undefined : await readCommit(root, branchRef(branch))
  const saved = await looks.run(() => save(context, { root, commonDir, workspace, tip }))
  const { rescued } = saved
  const keep = (why: string) =>
    ({ rescued, worktree: "kept", branch: "kept", notices: [why] }) as const
  if (saved.hindrance !== undefined) return keep(saved.hindrance)
  return await withRepoLock(commonDir, async () => {
    const stays = await remove(context, root, workspace.worktree)
    if (stays) return keep(stays)
    const left =
      branch && tip && (await deleteUnused(root, { ...workspace, ...context, branch, tip }))
    return {
      rescued,
      worktree: "removed",
      branch: left ? "kept" : "deleted",
      notices: left ? [left] : [],
    }
  })
}

/** @returns why it is still there, as it was, or undefined when it is gone. */
async function remove(
  context: WorktreeContext,
  root: string,
  worktree: string,
): Promise<string | undefined> {
  try {
    const { deleted } = await removeWorktree(root, worktree, context.deleting)
    context.inBackground(deleted)
    return undefined
  } catch (error) {
    if (error instanceof FolderStaysError) return error.message
    throw error
  }
}

type ToSave = {
  readonly root: string
  readonly commonDir: string
  readonly workspace: WorkspaceToRemove
  readonly tip: Oid | undefined
}

type Saved = { readonly rescued: readonly Rescue[]; readonly hindrance: string | undefined }

/** @returns with a hindrance when something could not be saved, or is not ours to remove. */
async function save(
  { home }: WorktreeContext,
  { root: repo, commonDir, workspace, tip }: ToSave,
): Promise<Saved> {
  const owner = { home, task: workspace.task }
  const rescued: Rescue[] = []
  try {
    const hindrance = await findHindrance(repo, workspace.worktree, workspace.placed)
    if (hindrance !== "absent") {
      if (hindrance !== undefined) return { rescued, hindrance }
      const rescue = await saveFiles(workspace, owner)
      if (rescue) rescued.push(rescue)
      const nested = rescue?.nested.join(", ")
      if (nested)
        return { rescued, hindrance: `${workspace.worktree} holds repositories: ${nested}.` }
    }
    const own = hindrance === "absent" ? [] : await listOwnCommits(workspace.worktree)
    const tips = tip ? [tip, ...own] : own
    const safe = () => [...workspace.contained, ...rescued.map(({ commit }) => commit)]
    for (const commit of tips) {
      const request = { ...workspace, owner, contained: safe() }
      const rescue = await rescueCommit(repo, commit, request)
      if (rescue) rescued.push(rescue)
    }
    const entry = listLinked(commonDir).find(({ path }) => path === workspace.worktree)
    const contained = [...safe(), ...tips]
    const left = entry && (await saveLeftBehind(workspace, entry, { owner, contained }))
    if (left) rescued.push(left)
    return { rescued, hindrance: undefined }
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return { rescued, hindrance: error.message } // kept whole: nothing is removed that is not saved
  }
}

/** Commits that only the logs lead to which git keeps of worktree and branch: those go too. */
async function saveLeftBehind(
  { repo, branch, reason }: WorkspaceToRemove,
  { gitDir }: LinkedWorktree,
  { owner, contained }: { readonly owner: Owner; readonly contained: readonly Oid[] },
): Promise<Rescue | undefined> {
  const ref = branch === undefined ? undefined : branchRef(branch)
  return await rescueLeftBehind(repo, { owner, contained, reason, gitDir, branch: ref })
}

/** Commits that the worktree's own refs point at: those go with it. */
async function listOwnCommits(worktree: string): Promise<Oid[]> {
  const commits = (await listOwnRefs(worktree)).map((ref) => readCommit(worktree, ref))
  return [...new Set((await Promise.all(commits)).filter((commit) => commit !== undefined))]
}

/** What a checkout that was cut short has left is nobody's work. */
async function saveFiles(workspace: WorkspaceToRemove, owner: Owner): Promise<Rescue | undefined> {
  const dir = await gitDir(workspace.worktree)
  await endFilling(dir)
  if (isUnfilled(dir)) return undefined
  return await rescueWorktree(workspace.worktree, { ...workspace, owner })
}

const LOCKED_POLL_MS = 50

type Unused = Pick<WorktreeContext, "lockedMsMax"> & {
  readonly branch: string
  readonly tip: Oid
  readonly reason: string
}

/** @returns why it is still there, or undefined when it is gone. */
async function deleteUnused(
  repo: string,
  { branch, tip, reason, lockedMsMax }: Unused,
): Promise<string | undefined> {
  const ref = branchRef(branch)
  const isFree = isNowhere(repo, ref)
  const user = isFree ? undefined : (await listWorktrees(repo)).find(({ branch }) => branch === ref)
  if (user) return `The branch ${branch} is kept: it is checked out in ${user.path}.`
  const deletion = { branch, from: tip, reason: `coppice: ${reason}` }
  let { kind } = await deleteBranch(repo, deletion)
  const endMs = performance.now() + lockedMsMax
  while (kind === "locked" && performance.now() < endMs) {
    await delay(LOCKED_POLL_MS)
    kind = (await deleteBranch(repo, deletion)).kind
  }
  if (kind === "stale") return `The branch ${branch} is kept: there is a later commit on it.`
  return kind === "locked" ? `The branch ${branch} is kept: git holds a lock on it.` : undefined
}
