/** Says of a target, in the reason of a landing or task, that it moved past the gate. */
import type { Oid } from "../../core/ids.ts"
import { describeMove } from "../../core/target-move.ts"
import type { Db } from "../../store/open.ts"
import { listSeenTargets, type TargetKey } from "../../store/seen-targets.ts"
import type { Task } from "../../store/tasks/row.ts"
import { lookAtTarget } from "./look-at-target.ts"

/** Looks now, since the regular look comes later than a quick agent's end. */
export async function lookNow(db: Db, target: TargetKey, nowMs: number): Promise<void> {
  const seen = find(db, target)
  if (seen) await lookAtTarget(db, seen, nowMs)
}

/** As at the last look. @returns undefined if it did not. */
export function movedPast(db: Db, { path, target }: TargetKey): string | undefined {
  const moved = find(db, { path, target })?.moved
  return moved ? describeMove({ repo: path, target }, moved) : undefined
}

type Landed = TargetKey & { readonly name: string; readonly head: Oid | null }

/**
 * Likewise, but only if the move may be why this task had nothing left to land. A move may stand for
 * days, and says nothing about later tasks. An agent that amends after the move leaves no branch that
 * names its task.
 */
export function workMovedPast(db: Db, { id, repos }: Task, landed: Landed): string | undefined {
  const mover = find(db, landed)?.moved?.task
  const base = repos.find(({ name }) => name === landed.name)?.base
  const isOwn = mover === id || (mover === null && landed.head !== base)
  return isOwn ? movedPast(db, landed) : undefined
}

const find = (db: Db, { path, target }: TargetKey) =>
  listSeenTargets(db).find((seen) => seen.path === path && seen.target === target)
