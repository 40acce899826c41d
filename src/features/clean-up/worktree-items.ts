/**
 * The worktrees of a clean-up list: those of a repository, and removed ones that are still being deleted.
 */

import { lstatSync } from "node:fs"
import { oneLine } from "../../base/text/one-line.ts"
import { emptyTrash } from "../../kernel/workspaces/removal.ts"
import { listTrash } from "../../kernel/workspaces/rows/trash.ts"
import { type CleanUpItem, kept, type Removing, removed } from "./clean-up-item.ts"
import { judgeWorktree, type View } from "./judge-worktree.ts"
import { removeDisposable, removeJudged } from "./remove-worktree.ts"
import type { SurveyedWorktree } from "./survey-worktrees.ts"

/** One that `worktree list` shows as well. */
export type WorktreeItem = CleanUpItem & {
  readonly worktree: Pick<SurveyedWorktree, "gitDir" | "branch">
}

export async function listWorktreeItems(context: Removing, view: View): Promise<CleanUpItem[]> {
  const items: CleanUpItem[] = []
  for (const worktree of view.worktrees)
    items.push(
      worktree.purpose === "gate"
        ? disposableItem(context, view, worktree)
        : await worktreeItem(context, view, worktree),
    )
  return [...items, ...listTrash(context.db, view.repo).map((path) => trashItem(context, path))]
}

async function worktreeItem(
  context: Removing,
  view: View,
  worktree: SurveyedWorktree,
): Promise<CleanUpItem> {
  const { task, action, why, isSafe } = await judgeWorktree(context, view, worktree)
  const { path: name, gitDir, folder } = worktree
  const isLeft = action === "keep" && !isSafe
  const act = (signal: AbortSignal) => removeJudged(context, worktree, signal)
  const item = { name, task, action, isLeft, act }
  if (gitDir !== undefined) return { ...item, kind: "worktree", why, worktree } as WorktreeItem
  if (action === "keep") return { ...item, kind: "folder", why }
  if (folder === "there") return { ...item, kind: "folder", why: "it is empty" }
  return { ...item, kind: "record", why: "the worktree is gone, and its task is over" }
}

/** A disposable worktree holds no work. A landing under way still needs its own. */
function disposableItem(
  context: Removing,
  { rows, running }: View,
  { path, repo, task }: SurveyedWorktree,
): CleanUpItem {
  const isLive = rows.some((row) => row.task === task && !row.isOver)
  const user = running.find(({ cwd }) => cwd === path || cwd.startsWith(`${path}/`))
  const why = isLive ? "its landing is not over" : user && `process ${user.pid} runs there`
  return {
    kind: "disposable",
    name: path,
    task,
    isLeft: false,
    action: why === undefined ? "remove" : "keep",
    why: why ?? "its landing is over",
    act: async (signal) =>
      task === null
        ? kept("it belongs to no landing")
        : removeDisposable(context, { repo, task }, signal),
  }
}

/** The files were saved before they were moved there. */
function trashItem({ db }: Pick<Removing, "db">, path: string): CleanUpItem {
  return {
    kind: "trash",
    name: path,
    task: null,
    action: "remove",
    isLeft: false,
    why: "a worktree that was removed, whose files are still being deleted",
    act: async (signal) => {
      const deletion = await emptyTrash(db, path, signal)
      return deletion.kind === "deleted" ? removed() : kept(whyLeft(deletion.error))
    },
  }
}

/** Files of a container or of `sudo` are the usual case: no process of this user can remove them. */
function whyLeft(error: Error): string {
  const { code, path } = error as NodeJS.ErrnoException
  if (path === undefined || !["EACCES", "EPERM"].includes(code ?? ""))
    return `it cannot be deleted yet: ${oneLine(error.message)}`
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid
  const isOthers = owner !== undefined && owner !== process.getuid?.()
  return `permission is denied for ${path}${isOthers ? `, which belongs to another user (${owner})` : ""}; remove it yourself, as its owner or with sudo`
}
