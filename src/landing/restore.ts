/** Puts an agent's worktree back to a commit after a gate, or after a sync that was cut off. */
import { rm } from "node:fs/promises"
import type { Oid } from "../core/ids.ts"
import { displayPath, joinBytes } from "../git/path.ts"
import { resetTree } from "../git/read-tree.ts"
import { readStatus, type Status } from "../git/status.ts"
import { appendEvent } from "../store/events/append.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { rescueWorktree } from "../workspaces/rescue.ts"
import { type LandingStep, taskRepo } from "./action.ts"

/** Whether the worktree holds anything uncommitted that `copy` and `link` did not put there. */
export async function isDirty(worktree: string, placed: readonly string[]): Promise<boolean> {
  return residue(await readStatus(worktree), placed).length > 0
}

type Restore = {
  readonly worktree: string
  readonly to: Oid
  /** The index is on purpose at another commit than HEAD, so what is staged is not residue. */
  readonly indexIsElsewhere?: boolean
}

/**
 * Makes index and files those of `to`, whatever a gate left there; what it left is rescued first.
 *
 * Runs only while the task is merging, so none of it is an agent's or a person's unfinished work.
 */
export async function restore(
  step: LandingStep,
  repo: LandingRepo,
  { worktree, to, indexIsElsewhere = false }: Restore,
): Promise<void> {
  const { placed } = taskRepo(step, repo)
  const status = await readStatus(worktree)
  const left = residue(indexIsElsewhere ? { ...status, staged: [] } : status, placed)
  if (left.length > 0) await save(step, { worktree, to, placed })
  if (left.length > 0 || indexIsElsewhere) await resetTree(worktree, to)
  const untracked = status.untracked.filter((path) => !placed.includes(displayPath(path)))
  await Promise.all(untracked.map((path) => rm(joinBytes(worktree, path), { force: true })))
}

async function save(
  { context, task }: LandingStep,
  { worktree, to, placed }: { worktree: string; to: Oid; placed: readonly string[] },
): Promise<void> {
  const reason = "what the gate left was removed"
  const rescued = await rescueWorktree(worktree, { task: task.id, contained: [to], placed, reason })
  if (!rescued) return
  const { ref, commit, paths } = rescued
  const event = { type: "rescue.made", task: task.id, data: { ref, commit, paths } }
  appendEvent(context.db, event, context.world.nowMs())
}

function residue(status: Status, placed: readonly string[]): readonly string[] {
  const all = [...status.staged, ...status.unstaged, ...status.untracked, ...status.unmerged]
  return all.filter((path) => !placed.includes(displayPath(path)))
}
