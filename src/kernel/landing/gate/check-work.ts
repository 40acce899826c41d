/**
 * Runs the gate in a task's worktree as it is, so that its agent knows the result in advance.
 *
 * The command is that of the landing, but the tree is not the one that will land. So the result is
 * not remembered.
 */

import type { CheckDocument } from "../../../api/wire/agent.ts"
import { branchRef } from "../../../base/ids.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { runBounded } from "../../process/run.ts"
import type { Task, TaskRepo } from "../../tasks/rows/row.ts"
import { findOpenTurn } from "../../tasks/rows/turns/find.ts"
import { UNSTARTABLE_EXIT_CODES } from "../../workspaces/rules/ecosystems/programs.ts"
import type { LandingContext } from "../action.ts"
import { findGate } from "./choose-gate.ts"
import { gateVariables, tooLate } from "./run-gate.ts"

/** The end of the output, as much as an agent gets. */
const OUTPUT_BYTES_MAX = 16 * 1024

type Checked = CheckDocument["repos"][number]

export type CheckContext = Pick<
  LandingContext,
  "db" | "taskLock" | "owner" | "environment" | "repoConfig"
>

/**
 * Runs one check per task, and one repository, at a time: their tests may share resources outside
 * the worktrees.
 *
 * @returns undefined if no turn is open, because then the landing owns the files; or if `signal`
 *   aborts while this check waits.
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
    env: gateVariables(context.environment(task, name)),
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
