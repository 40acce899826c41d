/**
 * Runs set-up again in the task's own worktree before its gate, if its command or its inputs have
 * changed: in coppice.yml, in the work, or in what landed under it.
 */
import { type BoundedRun, runBounded } from "../../process/run.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { appendLog } from "../../store/log/append.ts"
import { setUpIfChanged } from "../../workspaces/setup/set-up.ts"
import { type LandingContext, ownerOf, type Step, taskRepo } from "../action.ts"
import { recordRescued } from "../record-rescued.ts"
import type { GateRun } from "./run-gate.ts"

type NotReady = GateRun & { readonly kind: "notReady" | "aborted" }

export async function setUpHere(
  step: Step<LandingContext>,
  repo: LandingRepo,
  worktree: string,
): Promise<NotReady | { readonly kind: "ready" }> {
  const { context, task, signal } = step
  const { setup } = context.repoConfig(repo)
  const log = { task: task.id, turn: 0, kind: "notice" } as const
  const run = (request: BoundedRun) => runBounded(context.owner, request)
  try {
    const end = await setUpIfChanged(run, {
      ...{ worktree, owner: ownerOf(step), placed: taskRepo(step, repo).placed },
      ...{ setup, task: task.id, env: context.environment(task, repo.name), signal },
      onStart: (command) =>
        appendLog(context.db, { ...log, text: `setup: ${command}` }, context.world.nowMs()),
      onRescued: (rescued) => recordRescued(step, rescued),
    })
    return end.kind === "ready" ? end : { ...end, kind: "notReady", step: "setup" }
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" }
    throw error
  }
}
