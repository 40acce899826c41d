/**
 * Runs a command to its end, with limits on time and output, and leaves no process of it running.
 */
import { constants } from "node:os"
import type { TaskId } from "../../base/ids.ts"
import { hide } from "../../base/text/hide.ts"
import { credentialsOf } from "../../base/text/redact.ts"
import { Tail } from "./end-of-output.ts"
import { UnstartableError } from "./errors.ts"
import type { ChildExit, OwnedChild } from "./owned-child.ts"
import type { ProcessOwner } from "./owner.ts"
import type { Purpose } from "./process-purpose.ts"

type Starter = Pick<ProcessOwner, "spawn">

/** A string runs with `sh -c`, a list directly. */
export type Command = string | readonly string[]

export type BoundedRun = {
  readonly command: Command
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly purpose: Purpose
  readonly task: TaskId | null
  /** The command runs as the user, whatever contains its task (owner.ts). */
  readonly isTrusted?: boolean
  readonly timeoutMs: number
  /** How many bytes of the end of stdout and stderr together are kept. */
  readonly outputBytesMax: number
  readonly signal?: AbortSignal
  /** Default: empty and closed. */
  readonly stdin?: string | Buffer
  /** Receives all output as it comes. */
  readonly onOutput?: (chunk: Buffer) => void
}

export type RunEnd = {
  /** The end of stdout and stderr, in the order in which we read it, without credentials of its environment. */
  readonly output: string
  readonly durationMs: number
} & (
  | {
      readonly kind: "exited" /** 128 + n for signal n, as in a shell. */
      readonly code: number
    }
  | { readonly kind: "timed_out" }
  | { readonly kind: "aborted" }
  | { readonly kind: "unstartable"; readonly message: string }
)

/** The program and arguments of a command in the configuration. */
export function commandLine(command: Command): readonly [string, readonly string[]] {
  if (typeof command === "string") return ["/bin/sh", ["-c", command]]
  const [program = "", ...args] = command
  return [program, args]
}

/** Also ends background processes that the command leaves behind, even after success. */
export async function runBounded(owner: Starter, run: BoundedRun): Promise<RunEnd> {
  const startMs = performance.now()
  const tail = new Tail(run.outputBytesMax)
  const outcome = await start(owner, run).then(
    (child) => (child ? watch(child, run, tail) : ({ kind: "aborted" } as const)),
    (error: unknown) => {
      if (!(error instanceof UnstartableError) || error.transient) throw error
      return { kind: "unstartable", message: error.message } as const
    },
  )
  const durationMs = Math.round(performance.now() - startMs)
  return { ...outcome, output: hide(tail.text(), credentialsOf(run.env)), durationMs }
}

async function start(owner: Starter, run: BoundedRun): Promise<OwnedChild | undefined> {
  if (run.signal?.aborted) return undefined
  const { cwd, env, purpose, task, isTrusted } = run
  return await owner.spawn(...commandLine(run.command), { cwd, env, purpose, task, isTrusted })
}

async function watch(owned: OwnedChild, run: BoundedRun, tail: Tail) {
  const { child } = owned
  let ended: "timed_out" | "aborted" | undefined
  const end = (why: "timed_out" | "aborted") => {
    ended ??= why
    void owned.end() // settles together with `exited`, which is awaited below
  }
  const onAbort = () => end("aborted")
  const timer = setTimeout(() => end("timed_out"), run.timeoutMs)
  run.signal?.addEventListener("abort", onAbort)
  if (run.signal?.aborted) onAbort()

  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      tail.push(chunk)
      run.onOutput?.(chunk)
    })
  }
  child.stdin?.end(run.stdin ?? "")
  // Work after the program's end, such as the removal of its container, does not count.
  const stop = () => clearTimeout(timer)
  owned.exit.then(stop, stop)
  const exit = await owned.exited
  run.signal?.removeEventListener("abort", onAbort)
  return ended ? ({ kind: ended } as const) : ({ kind: "exited", code: exitCode(exit) } as const)
}

function exitCode({ code, signal }: ChildExit): number {
  return code ?? 128 + (constants.signals[signal as keyof typeof constants.signals] ?? 0)
}
