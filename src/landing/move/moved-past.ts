/** Says of a target, in the reason of a landing or task, that it moved past the gate. */
import { describeMove } from "../../core/target-move.ts"
import type { Db } from "../../store/open.ts"
import { listSeenTargets, type TargetKey } from "../../store/seen-targets.ts"
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

const find = (db: Db, { path, target }: TargetKey) =>
  listSeenTargets(db).find((seen) => seen.path === path && seen.target === target)
