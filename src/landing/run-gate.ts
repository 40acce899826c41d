/** Runs a gate command and remembers its result by tree, command and environment. */
import { runBounded } from "../process/run.ts"
import { appendEvent } from "../store/events/append.ts"
import { recordGateResult } from "../store/gate-results/record.ts"
import type { GateKey, GateResult } from "../store/gate-results/row.ts"
import type { LandingStep } from "./action.ts"
import { GATE_OUTPUT_BYTES_MAX, TIMED_OUT_EXIT_CODE, UNSTARTABLE_EXIT_CODES } from "./settings.ts"

export type GateRun =
  | { readonly kind: "ran"; readonly result: GateResult }
  | { readonly kind: "unavailable"; readonly message: string }
  | { readonly kind: "aborted" }

export type GatePlace = {
  readonly worktree: string
  readonly repoName: string
  readonly repoPath: string
}

export async function runGate(
  step: LandingStep,
  key: GateKey,
  { worktree, repoName, repoPath }: GatePlace,
): Promise<GateRun> {
  const { context, task, signal } = step
  tell(step, "gate.started", { command: key.command, tree: key.tree })
  const run = await runBounded(context.owner, {
    command: key.command,
    cwd: worktree,
    env: context.environment(task, repoName),
    purpose: "gate",
    task: task.id,
    timeoutMs: context.repoConfig(repoPath).gateTimeoutMs,
    outputBytesMax: GATE_OUTPUT_BYTES_MAX,
    signal,
  })
  if (run.kind === "aborted") return { kind: "aborted" }
  const { durationMs, output } = run
  if (run.kind === "unstartable") return unavailable(step, run.message)
  const exitCode = run.kind === "timed_out" ? TIMED_OUT_EXIT_CODE : run.code
  tell(step, "gate.finished", { command: key.command, tree: key.tree, exitCode, durationMs })
  if (UNSTARTABLE_EXIT_CODES.includes(exitCode))
    return unavailable(step, lastLine(output) || `the shell says ${exitCode}`)
  const nowMs = context.world.nowMs()
  const result = { ...key, exitCode, output, durationMs }
  recordGateResult(context.db, result, nowMs)
  return { kind: "ran", result: { ...result, atMs: nowMs } }
}

function unavailable(step: LandingStep, message: string): GateRun {
  tell(step, "gate.unavailable", { message })
  return { kind: "unavailable", message }
}

function tell({ context, landing, task }: LandingStep, type: string, data: object): void {
  const event = { type, task: task.id, data: { landing: landing.id, ...data } }
  appendEvent(context.db, event, context.world.nowMs())
}

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? ""
