/** Runs a gate command on a tree, within its bounds. */

import type { EventType } from "../../../api/wire/event-types.ts"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import type { RepoConfig } from "../../../config/config.ts"
import type { GitHook } from "../../../features/git-hooks/rules.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { findDiskTrouble } from "../../process/disk.ts"
import { runBounded } from "../../process/run.ts"
import { appendEvent } from "../../store/events.ts"
import {
  describeUnstartable,
  findUnstartable,
  installOrSet,
  UNSTARTABLE_EXIT_CODES,
} from "../../workspaces/rules/ecosystems/programs.ts"
import type { Programs, Rows, Step } from "../action.ts"
import type { GateKey, GateResult } from "../rows/gate-results.ts"

/** How much of the end of a gate's output is kept: enough for a test report, small in the store. */
const OUTPUT_BYTES_MAX = 64 * 1024
/** Recorded for a gate that exceeded its time limit, like `timeout(1)`. */
export const TIMED_OUT_EXIT_CODE = 124

export const namePaths = (paths: readonly GitPath[]): string => nameSome(paths.map(displayPath))

/** Continues a sentence about a gate. */
export const tooLate = ({
  name,
  gateTimeoutMs,
}: Pick<RepoConfig, "name" | "gateTimeoutMs">): string =>
  `took longer than ${gateTimeoutMs / 1000} s (repos.${name}.gate_timeout)`

export type GateRun =
  /** `own`: what it changed of the work (own-changes.ts); then it is red, although it passed. */
  | { readonly kind: "ran"; readonly result: GateResult; readonly own: readonly GitPath[] }
  | { readonly kind: "unavailable"; readonly message: string }
  /** Set-up or check failed in the worktree; `failure` continues a sentence about it. */
  | ({ readonly kind: "notReady" } & NotMadeReady)
  /** The task's worktree is not at the candidate any more. */
  | { readonly kind: "moved"; readonly reason: string }
  | { readonly kind: "aborted" }
  /** The git hook that alone had to run has passed. */
  | { readonly kind: "hookPassed" }
  /** A git hook refuses the commit; `failure` continues a sentence about it. */
  | {
      readonly kind: "hookRefused"
      readonly hook: GitHook
      readonly failure: string
      readonly output: string
    }

export type NotMadeReady = {
  readonly step: "setup" | "check"
  readonly command: string
  readonly failure: string
  readonly output: string
  readonly missing?: { readonly program: string | undefined }
}

export type GatePlace = {
  readonly worktree: string
  readonly repoName: string
  readonly gateTimeoutMs: number
  /** The gate runs on the candidate's base, not on the candidate. */
  readonly onTarget: boolean
  /** The base of a disposable worktree, which has no record. */
  readonly base?: Oid
  /** Adds variables to those of the gate. */
  readonly mark?: (env: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Runs as soon as its processes have ended, before the end is recorded. */
  readonly onEnd?: () => Promise<void>
}

/** Test runners write no snapshots with it. The agent's own `env` wins. */
export const gateVariables = (
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({ CI: "true", ...env })

export async function runGate(
  step: Step<Rows & Programs>,
  key: GateKey,
  { worktree, repoName, gateTimeoutMs, onTarget, base, mark, onEnd }: GatePlace,
): Promise<GateRun> {
  const { context, task, signal } = step
  const { command, tree } = key
  const place = { onTarget, repoName }
  const env = gateVariables(context.environment(task, repoName, base && { worktree, base }))
  tell(step, "gate.started", gateFacts(step, { command, tree }, place))
  const run = await runBounded(context.owner, {
    command,
    cwd: worktree,
    env: mark?.(env) ?? env,
    purpose: "gate",
    task: task.id,
    timeoutMs: gateTimeoutMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    signal,
  })
  await context.world.point("gating: gate ended")
  await onEnd?.()
  if (run.kind === "aborted") return { kind: "aborted" }
  const { durationMs, output } = run
  if (run.kind === "unstartable") return unavailable(step, run.message)
  const exitCode = run.kind === "timed_out" ? TIMED_OUT_EXIT_CODE : run.code
  const nowMs = context.world.nowMs()
  const result = { ...key, exitCode, output, durationMs, atMs: nowMs, wrote: null }
  const ran: Ran = { kind: "ran", result, own: [] }
  // Such a disk says nothing about the tree, so the result must not be remembered.
  const trouble = UNSTARTABLE_EXIT_CODES.includes(exitCode)
    ? describe(repoName, exitCode, output)
    : exitCode !== 0 && (await findDiskTrouble(worktree))
  if (!trouble) return ran
  tellFinished(step, ran, place)
  return unavailable(step, trouble)
}

type Ran = GateRun & { readonly kind: "ran" }
type Place = Pick<GatePlace, "onTarget" | "repoName">

/** The caller of {@link runGate} does it, once it knows what the gate wrote. */
export function tellFinished(step: Step<Rows>, { result, own }: Ran, place: Place): void {
  const { exitCode, durationMs } = result
  const gate = gateFacts(step, result, place)
  const ownChange = own.length > 0 && { ownChange: namePaths(own) }
  tell(step, "gate.finished", { ...gate, exitCode, durationMs, ...ownChange })
}

/** Names the repository if there are several. */
const gateFacts = (
  { task }: Step,
  { command, tree }: Pick<GateKey, "command" | "tree">,
  { onTarget, repoName: name }: Place,
) => ({ command, tree, onTarget, ...(task.repos[1] && { name }) })

function unavailable(step: Step<Rows>, message: string): GateRun {
  tell(step, "gate.unavailable", { message })
  return { kind: "unavailable", message }
}

function tell({ context, landing, task }: Step<Rows>, type: EventType, data: object): void {
  const event = { type, task: task.id, data: { landing: landing.id, ...data } }
  appendEvent(context.db, event, context.world.nowMs())
}

function describe(repo: string, exitCode: number, output: string): string {
  const program = findUnstartable(output)
  const helps = installOrSet(`repos.${repo}.gate`, program)
  const setUp = `Set-up installs what it needs: \`repos.${repo}.setup\`.`
  return `${describeUnstartable(program, exitCode)} (exit code ${exitCode}). ${helps} ${setUp}`
}
