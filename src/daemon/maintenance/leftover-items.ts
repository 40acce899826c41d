/** Plans what becomes of what lies about beside worktrees: folders, trash, records of what is gone. */
import { existsSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { TaskId } from "../../core/ids.ts"
import { deleteTrash, listTrash } from "../../git/worktrees/trash.ts"
import { appendEvent } from "../../store/events/append.ts"
import { transaction } from "../../store/sql.ts"
import { listTaskWorktrees } from "../../store/task-repos/list-worktrees.ts"
import { recordRemoved } from "../../store/task-repos/record-removed.ts"
import { listStrays, removeStray } from "../../workspaces/cleanup/strays.ts"
import { taskName } from "../../workspaces/slug.ts"
import type { MaintenanceContext } from "./context.ts"
import { type Done, kept, type PlanItem, removed } from "./item.ts"
import type { View } from "./judge.ts"

export async function planLeftovers(context: MaintenanceContext, view: View): Promise<PlanItem[]> {
  const parents = view.worktrees.map(({ path }) => dirname(path))
  const folders = [...new Set([...view.folders, ...parents])]
  const trash = await Promise.all(folders.map(listTrash))
  return [
    ...trash.flat().map(trashItem),
    ...(await planStrays(view)),
    ...planRecords(context, view),
  ]
}

/** What was moved there was saved before. */
function trashItem(path: string): PlanItem {
  return {
    ...{ kind: "trash", name: path, task: null, action: "remove", bytes: null, isLeft: false },
    why: "a worktree that was removed, whose files are still being deleted",
    act: async (signal) => {
      const { kind } = await deleteTrash(path, signal)
      return kind === "deleted" ? removed() : kept("it cannot be deleted yet")
    },
  }
}

async function planStrays({ repo, folders, rows }: View): Promise<PlanItem[]> {
  const names = new Map(
    rows.filter(({ isOver }) => isOver).map((row) => [taskName(row.task, row.title), row.task]),
  )
  const strays = await listStrays(repo, folders, new Set(names.keys()))
  return strays.map((stray): PlanItem => {
    const { path, isEmpty } = stray
    const common = { kind: "folder", name: path, bytes: null } as const
    const task = names.get(basename(path)) ?? null
    if (!isEmpty)
      return {
        ...{ ...common, task, action: "keep", isLeft: true },
        why: "git does not know it as a worktree any more, and there may be work in it",
      }
    return {
      ...{ ...common, task, action: "remove", isLeft: false, why: "it is empty" },
      act: async () => ((await removeStray(stray)) ? removed() : kept("something came into it")),
    }
  })
}

/** Worktrees of finished tasks that neither git nor the disk has any more. */
function planRecords(context: MaintenanceContext, { repo, rows, worktrees }: View): PlanItem[] {
  const known = new Set(worktrees.map(({ path }) => path))
  return rows.flatMap(({ task, name, worktree, agent, isOver }): PlanItem[] => {
    if (worktree === null || agent === null || !isOver || known.has(worktree)) return []
    if (existsSync(worktree) || !existsSync(dirname(worktree))) return []
    return [
      {
        ...{ kind: "record", name: worktree, task, action: "remove", bytes: null, isLeft: false },
        why: "the worktree is gone, and its task is over",
        act: async () => forgetGone(context, { repo, task, name, worktree }),
      },
    ]
  })
}

type Gone = { repo: string; task: TaskId; name: string; worktree: string }

function forgetGone({ db, world }: MaintenanceContext, gone: Gone): Done {
  const { repo, task, name, worktree } = gone
  return transaction(db, () => {
    const row = listTaskWorktrees(db, repo).find((one) => one.task === task && one.name === name)
    const isGone = row?.isOver && row.worktree === worktree && !existsSync(worktree)
    if (!isGone) return kept("it is there again")
    recordRemoved(db, { task, name })
    appendEvent(db, { type: "worktree.gone", task, data: { repo, worktree } }, world.nowMs())
    return removed()
  })
}
