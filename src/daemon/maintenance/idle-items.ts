/**
 * Plans what becomes of worktrees that no task has.
 *
 * Those of a pool are the pool's to keep. One that the pool has no row of, because its database was
 * lost or a person began to work there, goes only as it was made: detached, clean, at what the
 * target contains.
 */
import { decideCleanup } from "../../core/cleanup.ts"
import { findPoolEntry } from "../../store/pool/find.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import { type IdleWorktree, removeIdle, surveyIdle } from "../../workspaces/cleanup/idle.ts"
import { inspectWorktree } from "../../workspaces/cleanup/inspect.ts"
import type { MaintenanceContext } from "./context.ts"
import { type Done, kept, removed } from "./item.ts"
import { lookAtRepository, type View } from "./judge.ts"
import type { WorktreeItem } from "./worktree-items.ts"

const OF_POOL: Readonly<Record<PoolEntry["state"], string>> = {
  ready: "it is ready for the next task of its pool",
  filling: "it is being made ready for the next task of its pool",
  claimed: "a task is about to work in it",
}

/** @param sizes in bytes, by path. */
export async function planIdle(
  context: MaintenanceContext,
  view: View,
  { idle, sizes }: { idle: readonly IdleWorktree[]; sizes: ReadonlyMap<string, number> },
): Promise<WorktreeItem[]> {
  const items: WorktreeItem[] = []
  for (const worktree of idle) {
    const { isPools, action, why } = await judge(context, view, worktree)
    items.push({
      ...{ kind: "worktree", name: worktree.path, task: null, action, why, worktree },
      bytes: sizes.get(worktree.path) ?? null,
      judged: { isSafe: false, ageMs: 0 }, // no budget makes a pool smaller than it is wanted
      isLeft: action === "keep" && !isPools,
      act: () => removeLost(context, worktree),
    })
  }
  return items
}

type Judged = {
  readonly isPools: boolean
  readonly action: "remove" | "keep"
  readonly why: string
}

async function judge(
  context: MaintenanceContext,
  { targets, running }: View,
  worktree: IdleWorktree,
): Promise<Judged> {
  const entry = findPoolEntry(context.db, worktree.path)
  if (entry) return { isPools: true, action: "keep", why: OF_POOL[entry.state] }
  const request = { targets: targets.commits, placed: [], running }
  const { usedAtMs: _, ...look } = await inspectWorktree(worktree, request)
  const onBranch = worktree.branch && `somebody has checked out ${worktree.branch} there`
  const facts = { ...look, use: "orphan", hindrance: look.hindrance ?? onBranch, ageMs: 0 } as const
  const rules = { ...context.config().maintenance.worktrees, pruneUnmerged: false }
  const isElsewhere = facts.containment === "patches" || facts.containment === "squash"
  // Of no task's commits there is a rescue.
  const verdict = decideCleanup(isElsewhere ? { ...facts, containment: "none" } : facts, rules)
  return { isPools: false, action: verdict.action, why: verdict.why }
}

async function removeLost(
  context: MaintenanceContext,
  { path, repo }: IdleWorktree,
): Promise<Done> {
  const { stateDir: home } = context
  const view = await lookAtRepository(context, repo)
  const now = (await surveyIdle({ home, repo })).find((one) => one.path === path)
  if (!now) return removed([], "it was gone already")
  const { action, why } = await judge(context, view, now)
  if (action === "keep") return kept(why)
  return (await removeIdle(home, now)) ? removed() : kept("somebody has it now")
}
