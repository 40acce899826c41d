/**
 * Runs a repository's `teardown` once, in a worktree that is about to be removed.
 *
 * We record the run before we remove the worktree. So a removal that is repeated after a crash does
 * not run the teardown again, unless the crash cut it off. A failure is reported, but the worktree
 * is removed all the same: teardown only releases resources elsewhere, such as a database.
 */
import { assert } from "../../../base/assert.ts"
import { AppError } from "../../../base/errors.ts"
import type { World } from "../../../base/world.ts"
import type { RepoConfig } from "../../../config/config.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { ProcessOwner } from "../../process/owner.ts"
import { type BoundedRun, runBounded } from "../../process/run.ts"
import { appendEvent } from "../../store/events.ts"
import { appendLog } from "../../store/log/append.ts"
import type { Db } from "../../store/open.ts"
import type { Task, TaskRepo } from "../../tasks/rows/row.ts"
import { recordTornDown } from "../../tasks/rows/task-repos/removal.ts"
import { ConfigGoneError } from "../../tasks/rules/config-gone.ts"
import type { WorktreePlace } from "../workspace-facts.ts"
import { beginSetUp, hasBegunSetUp } from "./setup-record.ts"
import { type StepEnd, tryStep } from "./worktree-step.ts"

export type TeardownContext = {
  readonly db: Db
  readonly world: World
  readonly owner: ProcessOwner
  repoConfig(repo: { readonly name: string; readonly path: string }): RepoConfig
  environment(task: Task, repoName: string, place?: WorktreePlace): Readonly<Record<string, string>>
}

type Removal = {
  readonly task: Task
  readonly repo: Pick<TaskRepo, "name" | "path">
  readonly worktree: string
  /** Set if it is not the task's own worktree. */
  readonly place?: WorktreePlace
  /** Ends the teardown, which then counts as not run. */
  readonly signal: AbortSignal
}

/**
 * @returns a function that runs it in the task's own worktree; undefined if there is none, or it
 *   has run. It rejects with the signal's reason when that aborts, and otherwise never.
 */
export function teardownOf(
  context: TeardownContext,
  { task, repo, signal }: { task: Task; repo: TaskRepo; signal: AbortSignal },
): (() => Promise<void>) | undefined {
  const { worktree, tornDown } = repo
  if (worktree === null || tornDown || !findCommand(context, repo)) return undefined
  return async () => {
    await runTeardown(context, { task, repo, worktree, signal })
    recordTornDown(context.db, { task: task.id, name: repo.name })
  }
}

/** Runs it in a disposable worktree that was set up, each time one is removed. */
export async function tearDownDisposable(
  context: TeardownContext,
  removal: Omit<Removal, "place">,
): Promise<void> {
  const { worktree, repo } = removal
  if (!findCommand(context, repo) || !(await hasBegunSetUp(worktree))) return
  const base = await readCommit(worktree, "HEAD")
  assert(base, "a filled worktree has a commit")
  await runTeardown(context, { ...removal, place: { worktree, base } })
}

async function runTeardown(context: TeardownContext, removal: Removal): Promise<void> {
  const { task, repo, worktree } = removal
  const command = findCommand(context, repo)
  if (!command) return
  await beginSetUp(worktree) // from here on, files that set-up made may be missing
  const line = { task: task.id, turn: 0, kind: "notice", text: `teardown: ${command}` } as const
  appendLog(context.db, line, context.world.nowMs())
  const end = await run(context, removal, command)
  const failed = end.kind === "failed" ? { failure: end.failure, output: end.output } : null
  const data = { repo: repo.name, worktree, command, ...failed }
  const type = failed ? "workspace.teardown_failed" : "workspace.torn_down"
  appendEvent(context.db, { type, task: task.id, data }, context.world.nowMs())
}

async function run(
  { owner, environment }: TeardownContext,
  { task, repo, worktree, place, signal }: Removal,
  command: string,
): Promise<StepEnd> {
  const runIt = (request: BoundedRun) => runBounded(owner, request)
  try {
    const env = environment(task, repo.name, place)
    const step = { step: "teardown", command, task: task.id, worktree, env, signal } as const
    return await tryStep(runIt, step)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return { kind: "failed", failure: `could not be run: ${error.message}`, output: "" }
  }
}

/** Undefined also if the repository is no longer configured, so that the command is unknown. */
function findCommand(
  { repoConfig }: TeardownContext,
  repo: Pick<TaskRepo, "name" | "path">,
): string | undefined {
  try {
    return repoConfig(repo).teardown
  } catch (error) {
    if (error instanceof ConfigGoneError) return undefined
    throw error
  }
}
