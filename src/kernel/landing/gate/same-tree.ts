/**
 * Checks by content that a gate runs on exactly the files that will land (law 3). A forged index or
 * a filter can deceive git, and another process can write while the gate runs.
 */

import type { GitPath, Oid } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { listDifferingFiles } from "../../git/ask/differing-files.ts"
import { displayPath } from "../../git/start/path.ts"
import { appendEvent } from "../../store/events.ts"
import { isPlaced } from "../../workspaces/placed.ts"
import type { Rows, Step } from "../action.ts"
import type { GateRun } from "./run-gate.ts"

export type TestedTree = {
  readonly worktree: string
  readonly commit: Oid
  /** Paths that `copy` and `link` put there. */
  readonly placed: readonly string[]
}

/** Enough paths to recognise the change. The rest is counted. */
const NAMED_MAX = 5

/** Tracked files that differ from the commit. @throws {NoWorktreeError} */
export async function listFilesOfGate(tree: TestedTree): Promise<readonly GitPath[]> {
  const differing = await listDifferingFiles(tree.worktree, tree.commit)
  return differing.filter((path) => !isPlaced(path, tree.placed))
}

export const namePaths = (paths: readonly GitPath[]): string =>
  nameSome(paths.map(displayPath), NAMED_MAX)

/**
 * A gate may pass and leave edited files. The event `gate.tree_changed` names them, and they are
 * restored. If they change again although the gate has ended, another process writes there, and the
 * result does not count.
 *
 * @param putBack restores the files, or returns why it cannot.
 */
export async function confirmRun(
  { context, task, landing }: Step<Rows>,
  { run, tree }: { readonly run: GateRun; readonly tree: TestedTree },
  putBack: () => Promise<string | undefined>,
): Promise<GateRun> {
  if (run.kind !== "ran" || run.result.exitCode !== 0) return run
  const changed = await listFilesOfGate(tree)
  if (changed.length === 0) return run
  const data = { landing: landing.id, paths: changed.map(displayPath) }
  const event = { type: "gate.tree_changed", task: task.id, data } as const
  appendEvent(context.db, event, context.world.nowMs())
  const left = await putBack()
  if (left === undefined) return run
  const message = `another process writes in ${tree.worktree}: ${left}. End it, then \`coppice land ${task.id}\``
  return { kind: "unavailable", message }
}
