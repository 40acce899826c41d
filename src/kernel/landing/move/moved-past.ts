/** Says of a target, in the reason of a landing or task, that it moved past the gate. */
import type { Oid } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import type { Task } from "../../tasks/rows/row.ts"
import { listSeenTargets, type TargetKey } from "../rows/seen-targets.ts"
import { describeMove, type TargetMove } from "../rules/target-move.ts"
import { lookAtTarget } from "./look-at-target.ts"

/**
 * Looks now, since the regular look comes later than a quick agent's end.
 *
 * @param tip where the target is, if that is known: at the same place as before there is nothing to see.
 */
export async function lookNow(
  db: Db,
  { tip, ...target }: TargetKey & { readonly tip?: Oid },
  nowMs: number,
): Promise<void> {
  const seen = find(db, target)
  if (seen && (tip === undefined || seen.tip !== tip)) await lookAtTarget(db, seen, nowMs)
}

/** As at the last look. @returns undefined if it did not. */
export function movedPast(db: Db, { path, target }: TargetKey): string | undefined {
  const moved = find(db, { path, target })?.moved
  return moved ? describeMove({ repo: path, target }, moved) : undefined
}

type Landed = TargetKey & { readonly name: string; readonly head: Oid | null }

/**
 * The move of the target that may have put this task's own work there, as at the last look. A move may
 * stand for days, and says nothing about later tasks. It names at most one task: none after an agent has
 * amended, and the upper one of a stack.
 */
export function findWorkMove(db: Db, { id, repos }: Task, landed: Landed): TargetMove | undefined {
  const moved = find(db, landed)?.moved
  const base = repos.find(({ name }) => name === landed.name)?.base
  return moved && (moved.task === id || landed.head !== base) ? moved : undefined
}

/** Likewise, as a sentence for a person. */
export function workMovedPast(db: Db, task: Task, landed: Landed): string | undefined {
  const moved = findWorkMove(db, task, landed)
  return moved && describeMove({ repo: landed.path, target: landed.target }, moved)
}

const find = (db: Db, { path, target }: TargetKey) =>
  listSeenTargets(db).find((seen) => seen.path === path && seen.target === target)
