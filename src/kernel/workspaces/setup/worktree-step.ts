/**
 * Runs the commands that prepare a worktree before its agent starts, and clean up before it goes.
 */

import type { TaskId } from "../../../base/ids.ts"
import type { BoundedRun, Command, RunEnd } from "../../process/run.ts"
import { WorkspaceError } from "../errors.ts"
import {
  describeUnstartable,
  findUnstartable,
  installOrSet,
  UNSTARTABLE_EXIT_CODES,
} from "../rules/ecosystems/programs.ts"

/** Starts a bounded command; `runBounded` with an owner, except in tests. */
export type Runner = (run: BoundedRun) => Promise<RunEnd>

export type WorktreeStep = {
  /**
   * `setup` installs dependencies; `check` tells whether an agent could work here; `teardown`
   * returns resources that set-up took elsewhere.
   */
  readonly step: "setup" | "check" | "teardown"
  readonly command: Command
  /** Null: the worktree waits for a task. */
  readonly task: TaskId | null
  readonly worktree: string
  /** Name of the repository, for the setting that a failure names. */
  readonly repo?: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Enough for a cold install of a large project, but not for one that waits for a person. */
const TIMEOUT_MS = 20 * 60_000
const OUTPUT_BYTES_MAX = 16 * 1024

export type StepEnd =
  | { readonly kind: "ready" }
  /** `failure` continues a sentence that names the command. */
  | {
      readonly kind: "failed"
      readonly failure: string
      readonly output: string
      /** The command, or a program that it starts, is not here. The program is named if known. */
      readonly missing?: { readonly program: string | undefined }
    }

/**
 * Runs a step in the worktree. `failed`: it fails, cannot start or takes too long.
 *
 * @throws {Error} the reason of `signal` when it aborts.
 */
export async function tryStep(run: Runner, request: WorktreeStep): Promise<StepEnd> {
  const { command, task, worktree, env, signal } = request
  const end = await run({
    command,
    cwd: worktree,
    env,
    task,
    signal,
    purpose: "setup",
    timeoutMs: TIMEOUT_MS,
    outputBytesMax: OUTPUT_BYTES_MAX,
  })
  if (end.kind === "exited" && end.code === 0) return { kind: "ready" }
  if (end.kind === "aborted") signal.throwIfAborted()
  const { output } = end
  if (!isUnstartable(end)) return { kind: "failed", failure: failure(end), output }
  const program = findUnstartable(output)
  const why = `${failure(end)}: ${describeUnstartable(program, end.code)}`
  return { kind: "failed", failure: why, output, missing: { program } }
}

/**
 * Runs `setup` or `check` in the worktree.
 *
 * @throws {WorkspaceError} `workspace.setup_failed` (world) with the end of the output, when the
 *   command fails, cannot start or takes too long.
 * @throws {Error} the reason of `signal` when it aborts.
 */
export async function runStep(run: Runner, request: WorktreeStep): Promise<void> {
  const { step, command, worktree, repo } = request
  const end = await tryStep(run, request)
  if (end.kind === "ready") return
  const line = typeof command === "string" ? command : command.join(" ")
  const message = `The worktree's ${step}, \`${line}\`, ${end.failure}.\n${end.output.trimEnd()}`
  const setting = `repos.${repo ?? "<name>"}.${step}`
  if (end.missing)
    throw new WorkspaceError("workspace.setup_failed", message.trimEnd(), [
      installOrSet(setting, end.missing.program),
    ])
  throw new WorkspaceError("workspace.setup_failed", message.trimEnd(), [
    `Run \`${line}\` in ${worktree} to see what it needs.`,
    `Set \`${setting}\` in coppice.yml to another command, or to \`true\` to skip it.`,
  ])
}

const isUnstartable = (end: RunEnd): end is RunEnd & { readonly kind: "exited" } =>
  end.kind === "exited" && UNSTARTABLE_EXIT_CODES.includes(end.code)

function failure(end: RunEnd): string {
  if (end.kind === "exited") return `exited with ${end.code}`
  if (end.kind === "unstartable") return `could not be started: ${end.message}`
  return end.kind === "timed_out" ? `took longer than ${TIMEOUT_MS / 60_000} minutes` : "was ended"
}
