/** Runs the gate in a disposable worktree, so that it disturbs no other worktree. */
import { assert } from "../../../base/assert.ts"
import { AppError } from "../../../base/errors.ts"
import type { Oid, RefName } from "../../../base/ids.ts"
import type { GitHook } from "../../../features/git-hooks/rules.ts"
import { runHooks } from "../../../features/git-hooks/run-hooks.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { readStatus } from "../../git/ask/status.ts"
import { rebuildIndex, resetTree } from "../../git/change/read-tree.ts"
import { revealAll } from "../../git/change/reveal-files.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { listEmptied } from "../../workspaces/submodules.ts"
import { type Configured, type Programs, type Rows, type Step, taskRepo } from "../action.ts"
import type { GateKey } from "../rows/gate-results.ts"
import type { LandingRepo } from "../rows/row.ts"
import { addTree, type FreshTrees, makeTreeReady, removeTree } from "./fresh-tree.ts"
import { type GateRun, namePaths, runGate } from "./run-gate.ts"
import { confirmRun, listBeside, listFilesOfGate, noteWrites } from "./same-tree.ts"

export type GateOn = {
  readonly key: GateKey
  readonly commit: Oid
  /** Only this git hook runs, and no command. */
  readonly onlyHook?: GitHook
}

export async function gateFresh(
  step: Step<FreshTrees>,
  repo: LandingRepo,
  on: GateOn,
): Promise<GateRun> {
  const { commit } = on
  const tree = await addTree(step, repo, commit)
  await step.context.world.point("fresh worktree: added")
  if (tree.kind === "unavailable") {
    const message = `Coppice cannot make a fresh worktree for it: ${tree.message}`
    return { kind: "unavailable", message }
  }
  const run = await gateIn(step, repo, { ...on, worktree: tree.worktree })
  await step.context.world.point("fresh worktree: gate ran")
  await removeTree(step, repo)
  return run
}

async function gateIn(
  step: Step<Rows & Configured & Programs>,
  repo: LandingRepo,
  { key, commit, worktree, onlyHook }: GateOn & { readonly worktree: string },
): Promise<GateRun> {
  const { base } = repo
  assert(base, "a gate runs for a landing that was prepared")
  const place = { worktree, commit, base }
  try {
    const ready = await makeTreeReady(step, repo, place)
    if (ready.kind === "failed") return { ...ready, kind: "notReady" }
  } catch (error) {
    if (step.signal.aborted) return { kind: "aborted" }
    throw error
  }
  await step.context.world.point("fresh worktree: ready")
  const obstacle = await restoreCommit(worktree, commit)
  if (obstacle) return { kind: "unavailable", message: `its set-up leaves ${obstacle}` }
  const { gateTimeoutMs } = step.context.repoConfig(repo)
  const onTarget = commit !== repo.candidate
  const own = onTarget ? taskRepo(step, repo).worktree : null
  const empty = own === null ? [] : await listEmptied(worktree, own)
  if (empty.length > 0)
    return { kind: "unavailable", message: `its set-up does not fill ${namePaths(empty)}` }
  const before = onTarget ? commit : base
  const ofWork = onTarget ? [] : step.context.agentConfig(step.task).landing.hooks
  const hooks = onlyHook ? [onlyHook] : ofWork
  const refused = await runHooks(step, repo, { hooks, worktree, commit, base: before })
  if (refused) return refused
  if (onlyHook) return { kind: "hookPassed" }
  const left = await restoreCommit(worktree, commit)
  if (left) return { kind: "unavailable", message: `its git hooks leave ${left}` }
  const tree = { worktree, commit, placed: [] }
  const beside = await listBeside(tree)
  const run = await runGate(step, key, { ...place, repoName: repo.name, gateTimeoutMs, onTarget })
  const written = await noteWrites(step, { run, repo, tree, beside })
  return await confirmRun(step, { ...written, worktree }, () => restoreCommit(worktree, commit))
}

const HEAD = "HEAD" as RefName

/**
 * Makes the worktree equal to the commit again, so that the gate tests exactly what is published. An
 * install may have edited the commit's files, hidden its edits, or committed them.
 *
 * @returns the obstacle in words; undefined if the worktree equals the commit.
 */
async function restoreCommit(worktree: string, commit: Oid): Promise<string | undefined> {
  try {
    await revealAll(worktree)
    const at = await readCommit(worktree, HEAD)
    if (!at) return "a worktree without a commit"
    if (at !== commit) {
      const move = { ref: HEAD, from: at, to: commit, reason: "coppice: what is tested" }
      const { kind } = await updateRef(worktree, move)
      if (kind !== "moved") return "a HEAD that git does not move back"
    }
    const tree = { worktree, commit, placed: [] }
    const { staged, unmerged } = await readStatus(worktree)
    if (staged.length + unmerged.length === 0 && (await listFilesOfGate(tree)).length === 0)
      return undefined
    await rebuildIndex(worktree, commit) // the index may call an edited file unchanged
    const { kind } = await resetTree(worktree, commit)
    if (kind === "locked") return "git's index.lock"
    const left = await listFilesOfGate(tree)
    return left.length > 0 ? `files that git does not put back: ${namePaths(left)}` : undefined
  } catch (error) {
    if (error instanceof AppError && error.blame !== "bug") return error.message
    throw error
  }
}
