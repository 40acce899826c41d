/**
 * Makes a worktree able to run: its set-up, unless an earlier one is still valid, then its check.
 * An agent never starts in a worktree where they have not passed.
 *
 * If they had passed and the agent then changed what set-up depends on, they run again. A failure
 * is then reported but does not stop the agent, which has to repair its own work. Files that they
 * leave are not work (kernel/workspaces/setup/made-by-set-up.ts).
 */

import { nameSome } from "../../base/text/group-paths.ts"
import { countTracked } from "../git/ask/index-file.ts"
import { displayPath } from "../git/start/git-path.ts"
import { type BoundedRun, runBounded } from "../process/run.ts"
import { appendLog } from "../store/log/append.ts"
import { WorkspaceError } from "../workspaces/errors.ts"
import { recordSetUpCost } from "../workspaces/rows/set-up-costs.ts"
import type { StepReport } from "../workspaces/rules/workspace-report.ts"
import {
  type Leaves,
  notePlaced,
  readMade,
  whileLeaving,
} from "../workspaces/setup/made-by-set-up.ts"
import { readSetupInputs, type SetupInputs } from "../workspaces/setup/setup-inputs.ts"
import { isSetUp, recordingSetUp } from "../workspaces/setup/setup-record.ts"
import { runStep } from "../workspaces/setup/worktree-step.ts"
import { listWorkedOn } from "../workspaces/submodules.ts"
import type { Workspace } from "../workspaces/workspace.ts"
import type { JobsContext, Rows } from "./context.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { recordReady } from "./rows/task-repos/workspace.ts"

export type Readying = Rows & Pick<JobsContext, "home" | "owner" | "repoConfig" | "environment">

export type ToMakeReady = {
  readonly task: Task
  readonly repo: TaskRepo
  readonly workspace: Pick<Workspace, "worktree" | "fresh" | "placed">
}

export type Readied = {
  readonly setup: StepReport | null
  readonly check: StepReport | null
  readonly leaves: readonly Leaves[]
}

/** @throws {WorkspaceError} `workspace.setup_failed` if they have never passed here. */
export async function makeReady(
  context: Readying,
  { task, repo, workspace }: ToMakeReady,
  signal: AbortSignal,
): Promise<Readied> {
  const { worktree, fresh } = workspace
  const wasReady = repo.ready && !fresh
  const { setup, check } = context.repoConfig(repo)
  const isOurs = task.strategy === "git_worktree" // users set up their own folders
  const readInputs = () => readSetupInputs(worktree, { setup: isOurs && setup, task: task.id })
  const inputs = await readInputs()
  const placed = [...new Set([...repo.placed, ...workspace.placed])]
  const leaves: Leaves[] = []
  const start = stepRunner(context, { task, repo, worktree, wasReady }, signal)
  const run: Run = async (step, command) => {
    if (!isOurs) return await start(step, command)
    const leaving = { worktree, owner: { home: context.home, task: task.id }, placed }
    const ran = await whileLeaving(leaving, () => start(step, command))
    leaves.push(ran.leaves)
    return ran.result
  }
  if (isOurs) await notePlaced(worktree, placed)
  const serves =
    inputs.command === undefined ||
    (await isSetUp(worktree, inputs)) ||
    (wasReady && (await mustStay(context, { task, repo, worktree })))
  if (isOurs && fresh && serves) leaves.push(await readMade(worktree, placed)) // the pool ran the set-up
  const done = serves ? reused(inputs) : await setUp(worktree, { inputs, readInputs }, run)
  if (done?.outcome === "failed") return { setup: done, check: null, leaves }
  const isChecked = wasReady && serves
  const checked = check === undefined || isChecked ? null : await run("check", check)
  if (checked?.outcome !== "failed") recordReady(context.db, { task: task.id, name: repo.name })
  if (fresh && isOurs) await recordCost(context, { repo, worktree, setup: done })
  return { setup: done, check: checked, leaves }
}

/** A set-up would take back what the agent has not committed of its submodules. */
async function mustStay(
  { db, world }: Rows,
  { task, repo, worktree }: { task: Task; repo: TaskRepo; worktree: string },
): Promise<boolean> {
  const paths = await listWorkedOn(worktree, repo)
  if (paths.length === 0) return false
  const text = `set-up did not run again, because submodules hold uncommitted work: ${nameSome(paths.map(displayPath))}`
  appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, world.nowMs())
  return true
}

/** The pool decides by this cost whether making worktrees ahead pays. */
async function recordCost(
  { db, world }: Rows,
  made: { repo: TaskRepo; worktree: string; setup: StepReport | null },
): Promise<void> {
  const { repo, worktree, setup } = made
  const ms = setup?.outcome === "passed" ? setup.durationMs : null
  const files = await countTracked(worktree)
  recordSetUpCost(db, { name: repo.name, ms, files, at: world.nowMs() })
}

const reused = ({ command }: SetupInputs): StepReport | null =>
  command === undefined ? null : { command, outcome: "reused", durationMs: 0 }

type Run = (step: "setup" | "check", command: string) => Promise<StepReport>

/** Recorded as passed only if it did pass. */
async function setUp(
  worktree: string,
  { inputs, readInputs }: { readonly inputs: SetupInputs; readInputs(): Promise<SetupInputs> },
  run: Run,
): Promise<StepReport | null> {
  const { command } = inputs
  let report: StepReport | null = null
  if (command === undefined) return report
  await recordingSetUp(
    worktree,
    inputs,
    async () => {
      report = await run("setup", command)
      return report.outcome === "passed"
    },
    readInputs,
  )
  return report
}

type Step = Omit<ToMakeReady, "workspace"> & {
  readonly worktree: string
  /** Set-up and check passed here before, and the agent has worked since. */
  readonly wasReady: boolean
}

function stepRunner(
  context: Readying,
  { task, repo, worktree, wasReady }: Step,
  signal: AbortSignal,
): Run {
  const tell = (text: string) =>
    appendLog(context.db, { task: task.id, turn: 0, kind: "notice", text }, context.world.nowMs())
  const env = context.environment(task, repo.name)
  const start = (request: BoundedRun) => runBounded(context.owner, request)
  return async (step, command) => {
    tell(`${step}: ${command}`)
    const startMs = performance.now()
    const report = (outcome: StepReport["outcome"]): StepReport => {
      return { command, outcome, durationMs: Math.round(performance.now() - startMs) }
    }
    try {
      await runStep(start, {
        step,
        command,
        task: task.id,
        repo: repo.name,
        worktree,
        env,
        signal,
      })
      return report("passed")
    } catch (error) {
      const hasFailed = error instanceof WorkspaceError && error.code === "workspace.setup_failed"
      if (!hasFailed || !wasReady) throw error
      tell(error.message)
      return report("failed")
    }
  }
}
