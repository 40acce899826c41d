/** The refs of a clean-up list: rescues and keep refs of landings that were kept for long enough. */
import { branchRef, type Oid, type RefName, type TaskId } from "../../base/ids.ts"
import { listRefs } from "../../kernel/git/ask/list-refs.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { deleteRef } from "../../kernel/git/change/update-ref.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { listTaskWorktrees } from "../../kernel/tasks/rows/task-repos/list.ts"
import { rescueKept } from "../../kernel/workspaces/rescue/rescue.ts"
import { recordRescued } from "../../kernel/workspaces/rows/rescues.ts"
import { isFolderOf } from "../../kernel/workspaces/task-refs.ts"
import {
  type CleanUpItem,
  type ItemOutcome,
  kept,
  type MaintenanceContext,
  removed,
} from "./clean-up-item.ts"
import type { View } from "./judge-worktree.ts"
import { type ExpiringRescue, type ExpiryContext, listExpiring } from "./rescue-expiry.ts"

type Keeping = Pick<MaintenanceContext, "db" | "world" | "name" | "taskLock">

export async function listRefItems(
  context: ExpiryContext & Keeping,
  view: View,
): Promise<CleanUpItem[]> {
  const expiring = await listExpiring(context, view.repo)
  const over = expiring.filter(({ atMs }) => atMs <= view.nowMs)
  return [
    ...over.map((rescue) => rescueItem(context, view.repo, rescue)),
    ...(await listKeepRefItems(context, view)),
  ]
}

function rescueItem(context: ExpiryContext, repo: string, rescue: ExpiringRescue): CleanUpItem {
  const { ref, task, bound } = rescue
  return {
    kind: "rescue",
    name: ref,
    action: "remove",
    isLeft: false,
    task: /^\d+$/.test(task) ? (Number(task) as TaskId) : null,
    why: `it is beyond \`maintenance.rescue.${bound}\``,
    act: () => expire(context, repo, rescue),
  }
}

/** The event comes first: its commit id can bring the rescue back until git collects it. */
async function expire(
  context: ExpiryContext,
  repo: string,
  { ref, commit, bound }: ExpiringRescue,
): Promise<ItemOutcome> {
  const { db, world } = context
  const now = (await listExpiring(context, repo)).find((one) => one.ref === ref)
  if (!now) return removed([], "it was gone already")
  if (now.commit !== commit || now.atMs > world.nowMs()) return kept("it is no longer due")
  const data = { repo, ref, commit, bound }
  appendEvent(db, { type: "rescue.expired", task: null, data }, world.nowMs())
  await world.point("cleanup: expiry told")
  const { kind } = await deleteRef(repo, { ref, from: commit, reason: `coppice: ${bound}` })
  return kind === "moved" ? removed() : kept("git holds a lock on it, or it has moved")
}

const KEEP_REF = /^refs\/coppice\/(?:(home-[0-9a-f]+)\/)?(\d+)\/(head|candidate|stashes|popped)$/

/** Only for tasks that are over or gone: a landing under way needs its own. */
async function listKeepRefItems(context: Keeping, view: View): Promise<CleanUpItem[]> {
  const { repo, rows } = view
  const items: CleanUpItem[] = []
  for (const { ref, oid } of await listRefs(repo, "refs/coppice/")) {
    const [, folder = null, id] = KEEP_REF.exec(ref) ?? []
    if (id === undefined || !(await isFolderOf(repo, context.name, folder))) continue
    const task = Number(id) as TaskId
    if (rows.some((row) => row.task === task && !row.isOver)) continue
    items.push({
      kind: "keep_ref",
      name: ref,
      task,
      action: "remove",
      isLeft: false,
      why: "its landing is over; commits that only it holds become a rescue",
      act: () => dropKeepRef(context, view, { ref, commit: oid, task }),
    })
  }
  return items
}

type KeepRef = { readonly ref: RefName; readonly commit: Oid; readonly task: TaskId }

async function dropKeepRef(
  context: Keeping,
  { repo, targets }: View,
  { ref, commit, task }: KeepRef,
): Promise<ItemOutcome> {
  const { db, world, name: home, taskLock } = context
  return await taskLock.hold(task, async () => {
    const rows = listTaskWorktrees(db, repo).filter((row) => row.task === task)
    if (rows.some(({ isOver }) => !isOver)) return kept("its task goes on")
    const owner = { home, task }
    const tips = await Promise.all(
      targets.branches.map((branch) => readCommit(repo, branchRef(branch))),
    )
    const safeCommits = tips.filter((tip) => tip !== undefined)
    const reason = "the commits kept by its landing were cleaned up"
    const rescue = await rescueKept(repo, commit, { owner, safeCommits, reason })
    await world.point("cleanup: kept rescued")
    const { kind } = await deleteRef(repo, { ref, from: commit, reason: "coppice: cleaned up" })
    const refs = rescue ? [rescue.ref] : []
    recordRescued(context, task, [rescue])
    return kind === "moved" ? removed(refs) : kept("git holds a lock on it, or it has moved", refs)
  })
}
