/**
 * Removes what Coppice made in the repositories of a home, when a person gives Coppice up.
 *
 * Worktrees go by the one rule of clean-up, as if every task were over: only if the target or a
 * rescue has their work. Refs go if a branch, tag or remote has their commits, or if the work
 * landed under other ids. Everything else stays as plain git, with commands for a person. A run that
 * was cut short is repeated: each item is judged by what is there.
 */
import { dirname } from "node:path"
import type { UninstallItem } from "../../api/wire/shell.ts"
import { branchRef, type Oid, type RefName } from "../../base/ids.ts"
import { defaultConfig } from "../../config/parse.ts"
import { listCommitRefs, listRefs } from "../../kernel/git/ask/list-refs.ts"
import { findRepository, type Repository } from "../../kernel/git/ask/repository.ts"
import { areAllKept } from "../../kernel/git/ask/rev-list.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { isOnUsersRef } from "../../kernel/git/ask/users-refs.ts"
import { deleteRef } from "../../kernel/git/change/update-ref.ts"
import {
  holdsOnly,
  listTraces,
  removeEmptyFolder,
  removeTrace,
} from "../../kernel/workspaces/own-files.ts"
import { emptyTrash } from "../../kernel/workspaces/removal.ts"
import { listTrash } from "../../kernel/workspaces/rows/trash.ts"
import { listOwnWorktrees } from "../../kernel/workspaces/rows/worktrees.ts"
import { isFolderOf, SAVED } from "../../kernel/workspaces/task-refs.ts"
import { worktreesFolder } from "../../kernel/workspaces/worktrees-folder.ts"
import type { CleanUpItem, MaintenanceContext } from "../clean-up/clean-up-item.ts"
import { type View, viewRepository } from "../clean-up/judge-worktree.ts"
import { withoutWishes } from "../clean-up/list-worktrees.ts"
import { attemptItem } from "../clean-up/remove-worktree.ts"
import { listWorktreeItems, type WorktreeItem } from "../clean-up/worktree-items.ts"
import { branchCommands, refCommands, worktreeCommands } from "./rules.ts"

export type Leaving = {
  readonly isDryRun: boolean
  readonly signal: AbortSignal
  /** Whether a person approved the programs that the home names, such as a `teardown`. */
  readonly isApproved: boolean
  /** Whether another home works in a repository, and needs its files. */
  isShared(repo: string): boolean
}

type Place = {
  readonly context: MaintenanceContext
  readonly repository: Repository
  readonly leaving: Leaving
}

/** @returns the items of all repositories, with their fate. */
export async function leaveRepositories(
  given: MaintenanceContext,
  leaving: Leaving,
): Promise<UninstallItem[]> {
  const context = { ...withoutWishes(given), ...withPrograms(given, leaving), isLeaving: true }
  const items: UninstallItem[] = []
  for (const path of await context.listRepositories()) {
    const repository = await findRepository(path)
    if (repository) items.push(...(await leaveRepository({ context, repository, leaving })))
  }
  return items
}

function withPrograms(
  { repoConfig }: MaintenanceContext,
  { isApproved }: Leaving,
): Pick<MaintenanceContext, "repoConfig"> {
  if (isApproved) return { repoConfig }
  return { repoConfig: (repo) => ({ ...repoConfig(repo), teardown: undefined }) }
}

async function leaveRepository(place: Place): Promise<UninstallItem[]> {
  const { context, repository } = place
  const view = await viewRepository(context, repository.root)
  const folders = foldersOf(place)
  const worktrees = await leaveWorktrees(place, view)
  return [
    ...worktrees,
    ...(await keptBranches(view)),
    ...(await leaveRefs(place)),
    ...(await leaveFiles(
      place,
      folders,
      new Set(worktrees.filter(isGoing).map(({ name }) => name)),
    )),
  ]
}

async function leaveWorktrees({ context, leaving }: Place, view: View): Promise<UninstallItem[]> {
  const { isDryRun, signal } = leaving
  const items: UninstallItem[] = []
  for (const item of await listWorktreeItems(context, view)) {
    const { name, why, act } = item
    if (item.kind === "trash") continue
    if (item.action === "keep" || !act) items.push(keptWorktree(view, item, why))
    else if (isDryRun) items.push(goes("worktree", name, why, null))
    else {
      const { outcome, note } = await attemptItem(() => act(signal))
      const isGone = outcome === "removed"
      items.push(isGone ? goes("worktree", name, why, true) : keptWorktree(view, item, note ?? why))
    }
  }
  for (const trash of listTrash(context.db, view.repo)) {
    const isGone = isDryRun
      ? null
      : (await emptyTrash(context.db, trash, signal)).kind === "deleted"
    if (isGone !== true)
      items.push(goes("worktree", trash, "it was removed, and its files are being deleted", isGone))
  }
  return items
}

/** A worktree that stays, as an ordinary worktree of git. */
function keptWorktree({ repo }: View, item: CleanUpItem, why: string): UninstallItem {
  const branch = "worktree" in item ? (item as WorktreeItem).worktree.branch : undefined
  return stays("worktree", item.name, why, worktreeCommands(repo, item.name, branch))
}

/** Branches of tasks without a worktree: they are a person's from now on. */
async function keptBranches({ repo, rows, targets }: View): Promise<UninstallItem[]> {
  const names = new Set(rows.flatMap(({ branch, worktree }) => (worktree ? [] : (branch ?? []))))
  const items: UninstallItem[] = []
  for (const branch of names) {
    const tip = await readCommit(repo, branchRef(branch))
    if (!tip || (await areAllKept(repo, [tip], targets.commits))) continue
    const why = "it has commits that the target does not have"
    items.push(stays("branch", branch, why, branchCommands(repo, branch)))
  }
  return items
}

const FOLDER = /^refs\/coppice\/(?:rescue\/(?:landed\/)?)?(home-[0-9a-f]+)\//

async function leaveRefs({ context, repository, leaving }: Place): Promise<UninstallItem[]> {
  const { root } = repository
  const commits = new Set((await listCommitRefs(root, "refs/coppice/")).map(({ ref }) => ref))
  const items: UninstallItem[] = []
  for (const { ref, oid } of await listRefs(root, "refs/coppice/")) {
    const folder = FOLDER.exec(ref)?.[1] ?? null
    if (!(await isFolderOf(root, context.name, folder))) continue
    const why = commits.has(ref) ? await findWhyNeedless(root, ref, oid) : undefined
    if (why === undefined) items.push(keptRef(root, ref))
    else items.push(goes("ref", ref, why, leaving.isDryRun ? null : await drop(root, ref, oid)))
  }
  return items
}

async function drop(root: string, ref: RefName, from: Oid): Promise<boolean> {
  const { kind } = await deleteRef(root, { ref, from, reason: "coppice: uninstalled" })
  return kind === "moved"
}

async function findWhyNeedless(root: string, ref: RefName, oid: Oid): Promise<string | undefined> {
  if (ref.startsWith(SAVED.landed)) return "the target has its changes, under other ids"
  if (!ref.startsWith(SAVED.rescue) && ref.endsWith("/candidate"))
    return "Coppice made it of its task's commits, which stay"
  return (await isOnUsersRef(root, oid)) ? "a branch or tag has its commits" : undefined
}

function keptRef(root: string, ref: RefName): UninstallItem {
  return stays("ref", ref, "it holds work that is on no branch", refCommands(root, ref))
}

/** The folders that held the home's worktrees. One that coppice.yml only names may be a person's. */
function foldersOf({ context, repository: { root } }: Place): ReadonlySet<string> {
  const { agents } = defaultConfig("none")
  const usual = context
    .config()
    .repos.flatMap(({ name: repoName }) =>
      agents.map(({ workspace: { worktreeDir } }) =>
        worktreesFolder({ repo: root, repoName, worktreeDir }),
      ),
    )
  const used = listOwnWorktrees(context.db, root).map(({ path }) => dirname(path))
  return new Set([...used, ...usual])
}

async function leaveFiles(
  place: Place,
  folders: ReadonlySet<string>,
  going: ReadonlySet<string>,
): Promise<UninstallItem[]> {
  const { root, commonDir } = place.repository
  const { isDryRun, isShared } = place.leaving
  const empty = [...folders].filter((path) => holdsOnly(path, going))
  const gone = empty.map((path) =>
    goes("folder", path, "it is empty", isDryRun ? null : removeEmptyFolder(path)),
  )
  const files = listTraces(commonDir)
  if (isShared(root) || (await hasOthersRefs(place))) {
    const why = "another home has work or approvals here"
    return [...gone, ...files.map((path) => stays("file", path, why, []))]
  }
  if (!isDryRun) files.forEach(removeTrace)
  const removed = isDryRun ? null : true
  return [...gone, ...files.map((path) => goes("file", path, "only Coppice uses it", removed))]
}

/** Work that another home has saved, which may have its state in another place. */
async function hasOthersRefs({ context, repository: { root } }: Place): Promise<boolean> {
  for (const { ref } of await listRefs(root, "refs/coppice/"))
    if (!(await isFolderOf(root, context.name, FOLDER.exec(ref)?.[1] ?? null))) return true
  return false
}

const isGoing = ({ action }: UninstallItem): boolean => action === "remove"

type Kind = UninstallItem["kind"]

export const goes = (
  kind: Kind,
  name: string,
  why: string,
  removed: boolean | null,
): UninstallItem => ({ kind, name, action: "remove", why, commands: [], removed })

export const stays = (
  kind: Kind,
  name: string,
  why: string,
  commands: readonly string[],
): UninstallItem => ({
  kind,
  name,
  action: "keep",
  why,
  commands: [...commands],
  removed: null,
})
