/**
 * Checks by content that a gate runs on exactly the files that will land (law 3). A forged index or
 * a filter can deceive git, and another process can write while the gate runs.
 */

import type { GitPath, Oid } from "../../../base/ids.ts"
import { listDifferingFiles, listNewFiles, readDifference } from "../../git/ask/differing-files.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { appendEvent } from "../../store/events.ts"
import { isPlaced } from "../../workspaces/placed-files.ts"
import type { Configured, Rows, Step } from "../action.ts"
import type { Wrote } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import { listOwnChanges } from "./own-changes.ts"
import { type GateRun, tellFinished } from "./run-gate.ts"

export type TestedTree = {
  readonly worktree: string
  readonly commit: Oid
  /** Paths that `copy` and `link` put there. */
  readonly placed: readonly string[]
}

/** As much of a patch as an agent is shown of a gate's output. */
const DIFF_BYTES_MAX = 8_000

/** Tracked files that differ from the commit. @throws {NoWorktreeError} */
export async function listFilesOfGate(
  { worktree, commit, placed }: TestedTree,
  except: readonly string[] = [],
): Promise<readonly GitPath[]> {
  const differing = await listDifferingFiles(worktree, commit, except)
  return differing.filter((path) => !isPlaced(path, placed))
}

/** Files beside the commit's before a gate: what set-up left. @throws {NoWorktreeError} */
export const listBeside = ({ worktree, commit }: TestedTree): Promise<readonly GitPath[]> =>
  listNewFiles(worktree, commit)

export type RunIn = {
  readonly run: GateRun
  readonly repo: LandingRepo
  readonly tree: TestedTree
  /** {@link listBeside}, before it ran. */
  readonly beside: readonly GitPath[]
}

/** A run, with what it wrote. */
export type Written = {
  readonly run: GateRun
  /** The gate passed and left tracked files that are not the commit's. */
  readonly isEdited: boolean
}

/**
 * A gate may pass and leave edited files. The event `gate.tree_changed` names the tracked ones. The
 * result keeps them all (own-changes.ts), and `gate.finished` names those that make it red. Runs as soon as the gate has ended.
 */
export async function noteWrites(step: Step<Rows & Configured>, ran: RunIn): Promise<Written> {
  const { run, repo, tree } = ran
  if (run.kind !== "ran") return { run, isEdited: false }
  const written = run.result.exitCode === 0 ? await judgeWrites(step, ran, run) : { run, all: [] }
  tellFinished(step, written.run, { onTarget: tree.commit !== repo.candidate, repoName: repo.name })
  if (written.all.length > 0) tellChanged(step, written.all)
  return { run: written.run, isEdited: written.all.length > 0 }
}

type Ran = GateRun & { readonly kind: "ran" }

async function judgeWrites(step: Step<Configured>, ran: RunIn, run: Ran) {
  const { repo, tree } = ran
  const all = await listFilesOfGate(tree)
  const wrote = await findWrites(step, ran, all)
  const own = tree.commit === repo.candidate ? await listOwnChanges(repo, wrote) : []
  const shown = { paths: own, bytesMax: DIFF_BYTES_MAX }
  const diff = await readDifference(tree.worktree, tree.commit, shown)
  const result = { ...run.result, wrote: wrote && { ...wrote, diff } }
  return { run: { ...run, result, own }, all }
}

/**
 * Restores the files that a gate edited. If they change again although the gate has ended, another
 * process writes there, and the result does not count.
 *
 * @param putBack restores the files, or returns why it cannot.
 */
export async function confirmRun(
  { task }: Step,
  { run, isEdited, worktree }: Written & Pick<TestedTree, "worktree">,
  putBack: () => Promise<string | undefined>,
): Promise<GateRun> {
  const left = isEdited ? await putBack() : undefined
  if (left === undefined) return run
  const message = `another process writes in ${worktree}: ${left}. End it, then \`coppice land ${task.id}\``
  return { kind: "unavailable", message }
}

function tellChanged({ context, task, landing }: Step<Rows>, paths: readonly GitPath[]): void {
  const data = { landing: landing.id, paths: paths.map(displayPath) }
  const event = { type: "gate.tree_changed", task: task.id, data } as const
  appendEvent(context.db, event, context.world.nowMs())
}

/** @returns null for none, without those that `gate_writes` allows. */
async function findWrites(
  { context }: Step<Configured>,
  { repo, tree, beside }: RunIn,
  all: readonly GitPath[],
): Promise<Pick<Wrote, "changed" | "made"> | null> {
  const { gateWrites } = context.repoConfig(repo)
  const isAsked = all.length > 0 && gateWrites.length > 0
  const changed = isAsked ? await listFilesOfGate(tree, gateWrites) : all
  const before = new Set(beside)
  const others = await listNewFiles(tree.worktree, tree.commit, gateWrites)
  const made = others.filter((path) => !before.has(path) && !isPlaced(path, tree.placed))
  return changed.length + made.length > 0 ? { changed, made } : null
}
