/** Runs the gate in the task's own worktree, which stands at the candidate, and puts it back. */
import { assert } from "../../../base/assert.ts"
import type { Oid } from "../../../base/ids.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { assertOwnGitDir } from "../../git/ask/worktree-of.ts"
import { readTree, rebuildIndex } from "../../git/change/read-tree.ts"
import { type BoundedRun, runBounded } from "../../process/run.ts"
import { appendLog } from "../../store/log/append.ts"
import { clearCollisions } from "../../workspaces/colliding-files.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { setUpIfChanged } from "../../workspaces/setup/set-up.ts"
import {
  type Configured,
  ownerOf,
  type Programs,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
} from "../action.ts"
import { recordGateWorktree } from "../rows/gate-worktree.ts"
import type { LandingRepo } from "../rows/row.ts"
import type { GateOn } from "./gate-fresh.ts"
import { markCommits } from "./gate-mark.ts"
import { noteStart } from "./gate-start.ts"
import { putBackHead } from "./put-back-head.ts"
import { restoreTree } from "./restore-worktree.ts"
import { type GatePlace, type GateRun, namePaths, runGate, tellFinished } from "./run-gate.ts"
import { confirmRun, listBeside, listFilesOfGate, noteWrites } from "./same-tree.ts"

type Here = Rows & Refs & Configured & Programs

/** @param on the candidate, or the base it was made on. */
export async function gateHere(
  step: Step<Here>,
  repo: LandingRepo,
  { key, commit, worktree }: GateOn & { readonly worktree: string },
): Promise<GateRun> {
  const { candidate } = repo
  assert(candidate, "a gate runs for a landing that was prepared")
  const { gateTimeoutMs } = step.context.repoConfig(repo)
  const isBase = commit !== candidate
  const { placed } = taskRepo(step, repo)
  const tree = { worktree, commit, placed }
  const onEnd = () => putBackHead(step, repo, { worktree, onTarget: isBase })
  const mark: GatePlace["mark"] = (env) => markCommits(worktree, env)
  const place = { worktree, repoName: repo.name, gateTimeoutMs, onTarget: isBase, mark, onEnd }
  assertOwnGitDir(worktree)
  const hasLeft = async () => (await readCommit(worktree, "HEAD")) !== candidate
  if ((await hasLeft()) || (await findOperation(worktree)))
    return { kind: "moved", reason: `${worktree} left the candidate before its gate began` }
  const record = (state: "taken" | "put_back") =>
    recordGateWorktree(step.context.db, { ...step, repo }, state, step.context.world.nowMs())
  record("taken")
  const message = await setToCommit(step, repo, { ...tree, candidate })
  if (message) return { kind: "unavailable", message }
  const ready = await setUpHere(step, repo, worktree)
  if (ready.kind === "aborted") return ready
  const beside = await listBeside(tree)
  await noteStart(worktree)
  const ran = ready.kind === "ready" ? await runGate(step, key, place) : ready
  // Perhaps a person's: see put-back-head.ts. It stays as it is, like one after a cut-off gate.
  if (await findOperation(worktree)) {
    if (ran.kind === "ran") tellFinished(step, ran, place)
    return ran.kind === "aborted" ? ran : begun(worktree)
  }
  // A gate that tests more than the candidate says nothing about it.
  const reason = `another program committed in ${worktree} while its gate ran`
  const isMoved = ran.kind === "ran" && (await hasLeft())
  if (isMoved) tellFinished(step, ran, place)
  const run = isMoved ? ({ kind: "moved", reason } as const) : ran
  const written = await noteWrites(step, { run, repo, tree, beside })
  await step.context.world.point("gating: gate ran")
  const back = () => restoreTree(step, repo, { worktree, indexIsElsewhere: isBase })
  const confirmed = await confirmRun(step, { ...written, worktree }, async () => {
    await back()
    // A commit made after the gate ended stays on the branch, and is not a sign of another writer.
    const tip = (await readCommit(worktree, "HEAD")) ?? candidate
    const left = await listFilesOfGate({ ...tree, commit: tip })
    return left.length > 0 ? namePaths(left) : undefined
  })
  await back()
  record("put_back")
  return confirmed
}

type Tree = Parameters<typeof listFilesOfGate>[0]

/** @returns a sentence where the worktree does not come to hold the commit. */
async function setToCommit(
  step: Step<Here>,
  repo: LandingRepo,
  tree: Tree & { readonly candidate: Oid },
) {
  const { worktree, commit, candidate } = tree
  const restore = () => restoreTree(step, repo, { worktree })
  if (commit === candidate) {
    await restore()
    if ((await listFilesOfGate(tree)).length > 0) {
      await rebuildIndex(worktree, commit) // the old index gave other files for the commit's
      await restore()
    }
  } else {
    const move = { from: candidate, to: commit }
    recordRescued(step.context, step.task.id, [
      await clearCollisions(worktree, { owner: ownerOf(step), ...move }),
    ])
    const moved = await readTree(worktree, move, { isWhole: true })
    if (moved.kind === "refused") await restore() // perhaps half-way
    if (moved.kind !== "done") return `git keeps ${worktree} from ${commit}`
  }
  const left = await listFilesOfGate(tree)
  return left.length > 0 ? `${worktree} does not hold ${commit}: ${namePaths(left)}` : undefined
}

const begun = (worktree: string): GateRun => ({
  kind: "moved",
  reason: `an operation of git began in ${worktree} while its gate ran`,
})

type NotReady = GateRun & { readonly kind: "notReady" | "aborted" }

/** Runs set-up again before the gate, if its command or its inputs have changed. */
async function setUpHere(
  step: Step<Here>,
  repo: LandingRepo,
  worktree: string,
): Promise<NotReady | { readonly kind: "ready" }> {
  const { context, task, signal } = step
  const { setup } = context.repoConfig(repo)
  const log = { task: task.id, turn: 0, kind: "notice" } as const
  const run = (request: BoundedRun) => runBounded(context.owner, request)
  try {
    const end = await setUpIfChanged(run, {
      worktree,
      owner: ownerOf(step),
      placed: taskRepo(step, repo).placed,
      setup,
      task: task.id,
      env: context.environment(task, repo.name),
      signal,
      onStart: (command) =>
        appendLog(context.db, { ...log, text: `setup: ${command}` }, context.world.nowMs()),
      onRescued: (rescued) => recordRescued(step.context, step.task.id, rescued),
    })
    return end.kind === "ready" ? end : { ...end, kind: "notReady", step: "setup" }
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" }
    throw error
  }
}
