/**
 * Runs the gate in a task's worktree as it is, for its agent to know beforehand.
 *
 * The command is the one that will decide; the tree is not the one that will be published, so the
 * result is remembered nowhere.
 */
import { branchRef } from "../../core/ids.ts"
import type { CheckDocument } from "../../core/wire/agent.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { runBounded } from "../../process/run.ts"
import type { Task, TaskRepo } from "../../store/tasks/row.ts"
import { findOpenTurn } from "../../store/turns/find-open.ts"
import type { LandingContext } from "../action.ts"
import { findGate } from "./gate-plan.ts"
import { tooLate, UNSTARTABLE_EXIT_CODES } from "./run-gate.ts"

/** What an agent is shown, from the end. */
const OUTPUT_BYTES_MAX = 16 * 1024

type Checked = CheckDocument["repos"][number]

export type CheckContext = Pick<
  LandingContext,
  "db" | "taskLock" | "owner" | "environment" | "repoConfig"
>

/**
 * One check of a task after another, and one repository after another: their tests may share what is
 * outside the worktrees.
 *
 * @returns undefined when no turn is open (any more), the files are its landing's then; or when
 *   `signal` aborts before it is this one's turn.
 */
export function checkWork(
  context: CheckContext,
  { task, repos }: { readonly task: Task; readonly repos: readonly TaskRepo[] },
  signal: AbortSignal,
): Promise<CheckDocument | undefined> {
  return context.taskLock.hold(task.id, async () => {
    if (signal.aborted || !findOpenTurn(context.db, task.id)) return undefined
    const checked: Checked[] = []
    for (const repo of repos) checked.push(await checkRepo(context, { task, repo }, signal))
    const passed = checked.every(({ verdict }) => verdict === "passed" || verdict === "none")
    return { passed, repos: checked }
  })
}

async function checkRepo(
  context: CheckContext,
  { task, repo }: { readonly task: Task; readonly repo: TaskRepo },
  signal: AbortSignal,
): Promise<Checked> {
  const { name, path, target, worktree } = repo
  const base = await readCommit(path, branchRef(target))
  const command = (base && (await findGate(context, repo, base))) ?? null
  if (command === null || worktree === null) return { name, command, verdict: "none", output: "" }
  const end = await runBounded(context.owner, {
    command,
    cwd: worktree,
    env: context.environment(task, name),
    purpose: "gate",
    task: task.id,
    timeoutMs: context.repoConfig(repo).gateTimeoutMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    signal,
  })
  if (end.kind === "unstartable")
    return { name, command, verdict: "unavailable", output: end.message }
  const { output } = end
  if (end.kind === "timed_out") {
    const late = `The gate ${tooLate(context.repoConfig(repo))}.`
    return { name, command, verdict: "timed_out", output: `${output}\n${late}` }
  }
  if (end.kind !== "exited") return { name, command, verdict: "failed", output }
  const isMissing = UNSTARTABLE_EXIT_CODES.includes(end.code)
  const verdict = end.code === 0 ? "passed" : isMissing ? "unavailable" : "failed"
  return { name, command, verdict, output }
}
