/** Lists and removes the worktrees of a home at a person's request. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { measureFolder } from "../../kernel/process/disk.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { itemDocument } from "./carry-out.ts"
import { type CleanUpItem, kept, type MaintenanceContext, type Removing } from "./clean-up-item.ts"
import { listCleanUp } from "./list-items.ts"
import { removeAsked } from "./remove-asked.ts"
import { attemptItem } from "./remove-worktree.ts"
import type { GcItem, WorktreesDocument } from "./wire.ts"
import type { WorktreeItem } from "./worktree-items.ts"

export async function worktreesDocument(context: MaintenanceContext): Promise<WorktreesDocument> {
  const { repos, notices } = await listCleanUp(context)
  const worktrees = repos.flatMap(({ path: repo, items }) =>
    items
      .filter(isWorktree)
      .sort(byTask)
      .map(({ name: path, task: id, why, worktree }) => {
        const task = findTask(context.db, id)
        const { title = null, state = null } = task ?? {}
        const known = { task: id === null ? null : String(id), title, state, why }
        const createdAt = readCreatedAt(worktree.gitDir)
        return { path, repo, ...known, branch: worktree.branch ?? null, createdAt, bytes: null }
      }),
  )
  return { worktrees, notices: [...notices] }
}

/** Measures one after another: a disk has one head, and agents use it, too. */
export async function withSizes(document: WorktreesDocument): Promise<WorktreesDocument> {
  const worktrees: WorktreesDocument["worktrees"] = []
  for (const one of document.worktrees)
    worktrees.push({ ...one, bytes: (await measureFolder(one.path)) ?? null })
  return { ...document, worktrees }
}

const isWorktree = (item: CleanUpItem): item is WorktreeItem =>
  item.kind === "worktree" && "worktree" in item

/** The oldest task first; worktrees without a task last. */
const byTask = ({ task: one }: WorktreeItem, { task: other }: WorktreeItem): number =>
  (one ?? Number.MAX_SAFE_INTEGER) - (other ?? Number.MAX_SAFE_INTEGER)

/** Git writes this file when it adds a worktree, and never again. */
function readCreatedAt(gitDir: string | undefined): string | null {
  if (gitDir === undefined) return null
  const made = statSync(join(gitDir, "commondir"), { throwIfNoEntry: false })
  return made ? new Date(made.mtimeMs).toISOString() : null
}

/**
 * A person asked for it, so neither `workspace.keep` nor the age counts; work must still be safe.
 */
export async function pruneWorktrees(
  context: MaintenanceContext,
  signal: AbortSignal,
): Promise<GcItem[]> {
  const { repos } = await listCleanUp(withoutWishes(context))
  const items = repos.flatMap(({ items }) => items.filter(isWorktree))
  const going = items.filter(({ action, act }) => action === "remove" && act)
  const done: GcItem[] = []
  for (const item of going)
    done.push(
      itemDocument(
        context.db,
        item,
        await attemptItem(async () => (await item.act?.(signal)) ?? kept("it stays")),
      ),
    )
  return done
}

/** As if no configuration asked to keep a worktree. */
export function withoutWishes(context: MaintenanceContext): MaintenanceContext {
  const wish = { keep: "never", cleanupOnFailure: true } as const
  return {
    ...context,
    config: () => {
      const { maintenance, ...rest } = context.config()
      const worktrees = { ...maintenance.worktrees, ageMsMax: -1, pruneUnmerged: false }
      return { ...rest, maintenance: { ...maintenance, worktrees } }
    },
    findAgent: (task) => {
      const agent = context.findAgent(task)
      return agent && { ...agent, workspace: { ...agent.workspace, ...wish }, maintenance: {} }
    },
  }
}

export async function removeTaskWorktrees(
  context: Removing,
  task: Task,
  signal: AbortSignal,
): Promise<GcItem[]> {
  const all = await removeAsked(context, task, signal)
  return all.map(({ item, done }) => itemDocument(context.db, item, done))
}
