/**
 * Whether the files that a gate runs on are those that are published (law 3), by content: an index or
 * a filter can make git say so of other files, and another process can write while the gate runs.
 */
import type { GitPath, Oid } from "../../core/ids.ts"
import { listDifferingFiles } from "../../git/index/differing-files.ts"
import { displayPath } from "../../git/path.ts"
import { appendEvent } from "../../store/events/append.ts"
import { isPlaced } from "../../workspaces/placed.ts"
import type { LandingStep } from "../action.ts"
import type { GateRun } from "./run-gate.ts"

export type TestedTree = {
  readonly worktree: string
  readonly commit: Oid
  /** What `copy` and `link` put there. */
  readonly placed: readonly string[]
}

/** Enough to recognise what they are; the rest is counted. */
const NAMED_MAX = 5

/** Tracked files that are not as in the commit. @throws {NoWorktreeError} */
export async function listChangedFiles(tree: TestedTree): Promise<readonly GitPath[]> {
  const differing = await listDifferingFiles(tree.worktree, tree.commit)
  return differing.filter((path) => !isPlaced(path, tree.placed))
}

export function namePaths(paths: readonly GitPath[]): string {
  const named = paths.slice(0, NAMED_MAX).map(displayPath).join(", ")
  return paths.length > NAMED_MAX ? `${named} and ${paths.length - NAMED_MAX} more` : named
}

/**
 * Of a gate that passed and left other files, since it may edit them itself: the event
 * `gate.tree_changed` names them, and they are put back. Where they change again although the gate
 * has ended, another process writes there, and the result says nothing about the candidate.
 *
 * @param putBack tells why that cannot be done.
 */
export async function confirmRun(
  { context, task, landing }: LandingStep,
  { run, tree }: { readonly run: GateRun; readonly tree: TestedTree },
  putBack: () => Promise<string | undefined>,
): Promise<GateRun> {
  if (run.kind !== "ran" || run.result.exitCode !== 0) return run
  const changed = await listChangedFiles(tree)
  if (changed.length === 0) return run
  const data = { landing: landing.id, paths: changed.map(displayPath) }
  const event = { type: "gate.tree_changed", task: task.id, data }
  appendEvent(context.db, event, context.world.nowMs())
  const left = await putBack()
  if (left === undefined) return run
  const message = `another process writes in ${tree.worktree}: ${left}. End it, then \`coppice land ${task.id}\``
  return { kind: "unavailable", message }
}
