/**
 * Judges the target itself after a red gate, and whether what set-up made is as new as the target.
 *
 * Set-up may generate files from sources that are not among its inputs. In the worktree of a task
 * they are then older than a target that has moved, or fit the work alone. So the target is judged
 * where set-up ran on it too, and work gets new files where the old ones make the target red.
 */
import { assert } from "../../../base/assert.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { readSetupInputs } from "../../workspaces/setup/setup-inputs.ts"
import { isSetUpBefore } from "../../workspaces/setup/setup-record.ts"
import { listMisplaced } from "../../workspaces/submodules.ts"
import type { Configured, Rows, Step } from "../action.ts"
import { listToPublish } from "../landing-repos.ts"
import { findGateResult, type GateResult, recordGateResult } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import type { BaseKeys } from "./choose-gate.ts"
import type { GateOn } from "./gate-fresh.ts"
import { writesAll } from "./own-changes.ts"
import type { GateRun } from "./run-gate.ts"

/** The remembered result of the command on the target. A green one counts, wherever it ran. */
export function findBaseResult(db: Db, { here, fresh }: BaseKeys): GateResult | undefined {
  const found = [fresh, here].map((key) => findGateResult(db, key))
  return found.find((one) => one?.exitCode === 0) ?? found[0] ?? found[1]
}

export type GateOnBase = {
  readonly baseKeys: BaseKeys
  /** Null: there is none of the task's own. */
  readonly worktree: string | null
  /** In the worktree, unless `isFresh`. */
  run(on: GateOn, isFresh?: boolean): Promise<GateRun>
}

type BaseVerdict = "green" | "red" | "writes" | "notReady" | "aborted" | "moved"

/**
 * Whether the command passes on the target itself, asked once per tree and place. No git hook runs.
 * Red beside work in another repository says nothing about the target: `green`.
 *
 * @param own the paths of the work that the gate changed. `writes`: it passes, and writes all of it there too.
 */
export async function runOnBase(
  step: Step<Rows & Configured>,
  repo: LandingRepo,
  { baseKeys, worktree, run }: GateOnBase,
  own: readonly GitPath[] = [],
): Promise<BaseVerdict> {
  const { base } = repo
  assert(base, "a red gate has a base")
  const { db } = step.context
  const known = findBaseResult(db, baseKeys)
  if (known?.exitCode === 0) return writesAll(known, own) ? "writes" : "green"
  const places = worktree
    ? await listBasePlaces(step, repo, { worktree, base })
    : (["here"] as const)
  const found = new Set<"red" | "notReady">()
  for (const place of places) {
    const key = baseKeys[place]
    const earlier = findGateResult(db, key)
    const ran = earlier
      ? ({ kind: "ran", result: earlier } as const)
      : await run({ key, commit: base }, place === "fresh")
    const { kind } = ran
    if (kind === "aborted" || kind === "moved") return kind
    if (kind !== "ran" && kind !== "notReady") return "green" // untested: the work counts as red
    found.add(kind === "ran" ? "red" : kind)
    if (kind !== "ran") continue
    if (!earlier) recordGateResult(db, ran.result, ran.result.atMs)
    if (ran.result.exitCode === 0) return writesAll(ran.result, own) ? "writes" : "green"
  }
  const [verdict = "green"] = found
  if (verdict === "red" && hasWorkBeside(step, repo)) return "green"
  return found.size === 1 ? verdict : "green"
}

/** Whether the gate ran beside unlanded work in another repository, which may be what makes it red. */
const hasWorkBeside = ({ landing }: Step, { name }: LandingRepo): boolean =>
  listToPublish(landing).some((one) => one.name !== name)

type Judged = { readonly worktree: string; readonly base: Oid }

/**
 * The places where the target is judged until it is green: the task's own worktree, and a
 * disposable one. It is red only if it is red in each of them.
 *
 * A disposable one may lack what the gate needs: a built folder, or a submodule that the agent
 * filled. The task's own may hold what fits the work alone.
 */
async function listBasePlaces(
  step: Step<Configured>,
  repo: LandingRepo,
  { worktree, base }: Judged,
): Promise<readonly (keyof BaseKeys)[]> {
  const { command, isRepeatable } = await readSetup(step, repo, worktree)
  const isMisplaced = (await listMisplaced(worktree, base)).length > 0
  if (isMisplaced) return command === undefined ? [] : ["fresh", "here"]
  return isRepeatable ? ["here", "fresh"] : ["here"]
}

/** Whether set-up can run again before the work is judged, and last ran without the target's news. */
export async function isSetUpOld(
  step: Step<Configured>,
  repo: LandingRepo,
  { worktree, base }: Judged,
): Promise<boolean> {
  return (
    (await isSetUpBefore(worktree, base)) && (await readSetup(step, repo, worktree)).isRepeatable
  )
}

/** One that takes something for its task alone, such as a database, need not work twice. */
async function readSetup(
  { context, task }: Step<Configured>,
  repo: LandingRepo,
  worktree: string,
): Promise<{ readonly command: string | undefined; readonly isRepeatable: boolean }> {
  const { setup, teardown } = context.repoConfig(repo)
  const { command, isOwn } = await readSetupInputs(worktree, { setup, task: task.id })
  return { command, isRepeatable: command !== undefined && !isOwn && teardown === undefined }
}
