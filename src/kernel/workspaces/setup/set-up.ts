/** Runs the set-up of a worktree unless an earlier one is still valid, outside of a turn. */
import type { TaskId } from "../../../base/ids.ts"
import type { Owner } from "../task-refs.ts"
import { type Leaves, whileLeaving } from "./made-by-set-up.ts"
import { readSetupInputs } from "./setup-inputs.ts"
import { isSetUp, recordingSetUp } from "./setup-record.ts"
import { type Runner, type StepEnd, tryStep } from "./worktree-step.ts"

export type ToSetUp = {
  readonly worktree: string
  readonly owner: Owner
  readonly placed: readonly string[]
  /** As configured; see `SetupFor`. */
  readonly setup: string | false | undefined
  /** Null: the worktree waits for a task, and a set-up that reads its variables waits with it. */
  readonly task: TaskId | null
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly onStart?: (command: string) => void
  readonly onRescued?: (rescued: Leaves["rescued"]) => void
}

export type SetUp =
  | { readonly kind: "ready" }
  | (StepEnd & { readonly kind: "failed"; readonly command: string })

/** @throws {Error} the reason of `signal` when it aborts. */
export async function setUpIfChanged(run: Runner, at: ToSetUp): Promise<SetUp> {
  const { worktree, owner, placed, setup, task, env, signal } = at
  const readInputs = () => readSetupInputs(worktree, { setup, task: task ?? undefined })
  const inputs = await readInputs()
  const { command, isOwn } = inputs
  const mustWait = isOwn && task === null
  if (command === undefined || mustWait || (await isSetUp(worktree, inputs)))
    return { kind: "ready" }
  at.onStart?.(command)
  const step = { step: "setup", command, task, worktree, env, signal } as const
  let failed: SetUp | undefined
  const start = async () => {
    const leaving = { worktree, owner, placed }
    const { result, leaves } = await whileLeaving(leaving, () => tryStep(run, step))
    at.onRescued?.(leaves.rescued)
    if (result.kind === "failed") failed = { ...result, command }
    return failed === undefined
  }
  await recordingSetUp(worktree, inputs, start, readInputs)
  return failed ?? { kind: "ready" }
}
