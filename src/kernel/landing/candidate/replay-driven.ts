/**
 * Replays work again if it conflicts in files that have their own merge driver.
 *
 * A driver is a command in a configuration that agents can write, so normal merges use none (ADR
 * 3). If one is needed, it runs like the gate: as the task's process, with the agent's variables,
 * in a disposable worktree at the target. If the agent is contained, it has the daemon's variables
 * instead: it runs outside of the fence, and the agent's PATH may lead to files of its own. Merging
 * needs no filters, because git merges stored content.
 */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readAttribute } from "../../git/ask/check-attr.ts"
import { drivenMergeCommand, type Merge, type MergeSides } from "../../git/change/merge-tree.ts"
import { commandEnvironment } from "../../process/environment.ts"
import { runBounded } from "../../process/run.ts"
import type { Configured, Programs, Step } from "../action.ts"
import { addTree, type FreshTrees, removeTree } from "../gate/fresh-tree.ts"
import type { LandingRepo } from "../rows/row.ts"
import { type Made, type Replay, replay } from "./replay.ts"

/** Time for one merge with its drivers. A lockfile's driver may ask a registry. */
const MERGE_MS_MAX = 5 * 60_000
/** Git prints the tree at the end, after the output of drivers. */
const OUTPUT_BYTES_MAX = 64 * 1024

type Conflict = {
  readonly request: Replay
  readonly paths: readonly GitPath[]
  readonly drivers: readonly string[]
}

/** @returns undefined if no driver is needed, or if it still conflicts. */
export async function replayDriven(
  step: Step<FreshTrees>,
  repo: LandingRepo,
  { request, paths, drivers }: Conflict,
): Promise<Made | undefined> {
  if (drivers.length === 0) return undefined
  const tree = await addTree(step, repo, request.onto)
  await step.context.world.point("fresh worktree: added to merge in")
  if (tree.kind === "unavailable") return undefined
  const { worktree } = tree
  const needed = (await readAttribute(worktree, "merge", paths)).some((one) =>
    drivers.includes(one),
  )
  const merge = (sides: MergeSides) => mergeIn(step, repo, { worktree, onto: request.onto, sides })
  const replayed = needed ? await replay(repo.path, request, { drivers, merge }) : undefined
  await step.context.world.point("fresh worktree: merged")
  await removeTree(step, repo)
  if (replayed?.kind !== "replayed") return undefined
  // A driver that succeeds without merging must not make the work look as if it had landed before.
  return replayed.candidate === request.onto ? undefined : replayed
}

type MergeIn = { readonly worktree: string; readonly onto: Oid; readonly sides: MergeSides }

/** @throws {unknown} the signal's reason if it aborts. */
async function mergeIn(
  { context, task, signal }: Step<Programs & Configured>,
  { name, path }: LandingRepo,
  { worktree, onto, sides }: MergeIn,
): Promise<Merge> {
  const isContained = context.agentConfig(task).outside !== undefined
  const end = await runBounded(context.owner, {
    command: await drivenMergeCommand(path, sides),
    cwd: worktree,
    env: isContained
      ? commandEnvironment(process.env, {})
      : context.environment(task, name, { worktree, base: onto }),
    purpose: "merge",
    task: task.id,
    isTrusted: true,
    timeoutMs: MERGE_MS_MAX,
    outputBytesMax: OUTPUT_BYTES_MAX,
    signal,
  })
  if (end.kind === "aborted") signal.throwIfAborted()
  const found = end.output.match(/[0-9a-f]{40,64}(?=\0)/g)?.at(-1)
  if (end.kind === "exited" && end.code === 0 && found) return { kind: "clean", tree: found as Oid }
  return { kind: "conflict", paths: [], readConflicts: async () => [] }
}
