/**
 * The only place that starts git: {@link git} runs one command, {@link startLongRunning} starts one
 * that stays and reads lines.
 *
 * Every other file in this folder is one git command: it builds arguments, calls one of the two, and
 * parses stable output (plumbing, porcelain formats, `-z`, exit codes). None parses git's messages to
 * people. Output is one char per raw byte, because paths and commits need not be UTF-8.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import type { Socket } from "node:net"
import { constants } from "node:os"
import type { ConfigEntry } from "./config-cache.ts"
import { completeRecords, isAboutRecord } from "./cut-short-record.ts"
import { type AskGit, environmentAt, readConfig } from "./environment-at.ts"
import {
  FolderMissingError,
  type GitResult,
  GitStartError,
  GitUnusableError,
  OutputTooLongError,
} from "./errors.ts"
import { gitFailure } from "./failure.ts"
import { endGroup, GitTimeoutError, limitTime } from "./limits.ts"
import { beginTrace } from "./trace-commands.ts"
import { GATE } from "./worker.ts"
import { runPooled } from "./worker-pool.ts"

export type GitOptions = {
  /** Exit codes that are answers. Any other throws a GitError. Default: only 0. */
  readonly answers?: readonly number[]
  readonly stdin?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  /** Configuration for this call alone, by key. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Gets git's process id before git does anything. When it throws, git does not start. The call then
   * rejects with what it threw.
   */
  readonly onPid?: (pid: number) => void
  /** Keep only the first bytes of the output. Without it, too much output is an error. */
  readonly cutAtBytes?: number
  /** More output is an error. Default: {@link OUTPUT_BYTES_MAX}. */
  readonly outputBytesMax?: number | undefined
  /**
   * Set for a command that uses the network. It ends at its own time limit, and at once when
   * `signal` aborts. It may leave a process that holds our pipes (an ssh master).
   */
  readonly network?: Network
}

export type Network = { readonly timeoutMs: number; readonly signal?: AbortSignal }

/** Larger than any answer that we expect. More would fill the memory. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const STDERR_BYTES_MAX = 64 * 1024
/** A shell exits with these when it finds no git, or may not run it. */
const SHELL_FAILURES: readonly number[] = [126, 127]
/** How long we keep reading after git has ended, in case it left a helper. */
const DRAIN_MS_MAX = 200

/**
 * Runs `git <args>` in `cwd`.
 *
 * @throws {import("./errors.ts").GitError} on an exit code that is not an answer.
 * @throws {GitUnusableError} @throws {GitStartError} @throws {FolderMissingError}
 * @throws {OutputTooLongError} @throws {GitTimeoutError} see limits.ts.
 */
export async function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const running = { ...options, whole: await environmentOf(cwd, options) }
  let result = await run(cwd, args, running)
  if (isAnswer(result, options)) return result
  if (isAboutRecord(result.stderr) && completeRecords(cwd)) {
    result = await run(cwd, args, running)
    if (isAnswer(result, options)) return result
  }
  throw await gitFailure(cwd, { args, result, gitDir: options.env?.["GIT_DIR"] })
}

const isAnswer = ({ cut, exitCode }: GitResult, { answers = [0] }: GitOptions): boolean =>
  cut || answers.includes(exitCode)

/** All settings that git sees at `cwd`, weakest first. Ours come last. */
export const readConfigAt = (
  cwd: string,
  env?: GitOptions["env"],
): Promise<readonly ConfigEntry[]> => readConfig({ cwd, env }, askGit)

/** The whole environment of a git: see environment-at.ts. */
export const environmentOf = (
  cwd: string,
  { env, settings }: Pick<GitOptions, "env" | "settings"> = {},
): Promise<NodeJS.ProcessEnv> => environmentAt({ cwd, env, settings }, askGit)

/** If git cannot answer, it cannot run there either, and the caller's own command reports why. */
const askGit: AskGit = async (cwd, args, whole) => (await run(cwd, args, { whole })).stdout

type Running = GitOptions & {
  /** The whole environment. */
  readonly whole: NodeJS.ProcessEnv
}

async function run(cwd: string, args: readonly string[], options: Running): Promise<GitResult> {
  const end = beginTrace(cwd, args)
  let exitCode: number | undefined
  try {
    const result = (await runInWorker(cwd, args, options)) ?? (await runAsChild(cwd, args, options))
    exitCode = result.exitCode
    return result
  } finally {
    end(exitCode)
  }
}

/**
 * Runs git through a small shell, which is much faster from a large process: see worker.ts.
 *
 * @returns undefined if git must be our own child, or if the shell could not start it. Then the
 *   child's error says why. `onPid` may then get a second number.
 */
async function runInWorker(
  cwd: string,
  args: readonly string[],
  options: Running,
): Promise<GitResult | undefined> {
  if (options.network || options.cutAtBytes !== undefined) return undefined
  const { whole: env, onPid } = options
  const stdin = asBytes(options.stdin ?? "")
  const { outputBytesMax = OUTPUT_BYTES_MAX } = options
  const answer = await runPooled({ cwd, args, env, stdin, outputBytesMax, onPid })
  if (!answer || answer.kind === "no_folder") return undefined
  if (answer.kind === "too_long") throw new OutputTooLongError(args, outputBytesMax)
  if (answer.kind === "timed_out") throw timeoutError(cwd, args, answer.limitMs)
  if (answer.kind === "ended") throw new GitStartError("the shell that starts git has ended")
  const { exitCode, stdout, stderr } = answer
  if (SHELL_FAILURES.includes(exitCode)) return undefined
  const message = stderr.toString("utf8").slice(0, STDERR_BYTES_MAX)
  return { exitCode, stdout: stdout.toString("latin1"), stderr: message, cut: false }
}

async function runAsChild(
  cwd: string,
  args: readonly string[],
  options: Running,
): Promise<GitResult> {
  const { network, onPid, stdin = "" } = options
  network?.signal?.throwIfAborted()
  const child = onPid
    ? start(cwd, ["/bin/sh", "-c", GATE, "sh", ...args], options.whole)
    : start(cwd, ["git", ...args], options.whole)
  const ending = new Ending(child, cwd, args)
  const lift = network ? limitNetwork(network, ending) : limitTime(ending.timeOut)
  try {
    const result = collect(child, cwd, ending, options)
    if (onPid && child.pid !== undefined) passGate(child.pid, child, ending, onPid)
    child.stdin?.end(asBytes(stdin))
    const ended = await result
    ending.throwIfFailed()
    if (ended.cut && options.cutAtBytes === undefined)
      throw new OutputTooLongError(args, OUTPUT_BYTES_MAX)
    if (onPid && SHELL_FAILURES.includes(ended.exitCode)) throw missing(ended.stderr)
    return ended
  } finally {
    lift()
  }
}

function passGate(pid: number, child: ChildProcess, ending: Ending, onPid: (pid: number) => void) {
  try {
    onPid(pid)
    child.stdin?.write("go\n")
  } catch (error) {
    ending.fail(error)
  }
}

/** At its limit, or when the caller gives up. @returns lifts the limit. */
function limitNetwork({ timeoutMs, signal }: Network, ending: Ending): () => void {
  const timer = setTimeout(() => ending.timeOut(timeoutMs), timeoutMs)
  const abort = () => ending.fail(signal?.reason)
  signal?.addEventListener("abort", abort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

/** Ends a child before its time, and remembers why: the first reason counts. */
class Ending {
  readonly #child: ChildProcess
  #failure: { readonly error: unknown } | undefined
  readonly timeOut: (limitMs: number) => void

  constructor(child: ChildProcess, cwd: string, args: readonly string[]) {
    this.#child = child
    this.timeOut = (limitMs) => this.fail(timeoutError(cwd, args, limitMs))
  }

  fail(error: unknown): void {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) {
      closePipes(this.#child) // git has ended; only a process that it left still holds the pipes
      return
    }
    this.#failure ??= { error }
    this.end()
    this.#child.once("exit", () => closePipes(this.#child)) // another process may still hold the pipes
  }

  end(): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    this.#child.once("exit", endGroup(pid))
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error
  }
}

/**
 * Gathers git's output until git has ended. Call it before writing to git. Rejects only if git
 * cannot be started.
 */
function collect(
  child: ChildProcess,
  cwd: string,
  ending: Ending,
  { cutAtBytes, network }: GitOptions,
): Promise<GitResult> {
  const stdout = gather(child.stdout, cutAtBytes ?? OUTPUT_BYTES_MAX, () => ending.end())
  const stderr = gather(child.stderr, STDERR_BYTES_MAX, () => {})
  // Timers come before reads: however long we were busy, what git has written is read first.
  const close = () => setImmediate(closePipes, child)
  if (network) child.once("exit", () => setTimeout(close, DRAIN_MS_MAX))
  return hasClosed(child, cwd).then((exitCode) => ({
    exitCode,
    stdout: Buffer.concat(stdout.chunks).toString("latin1"),
    stderr: Buffer.concat(stderr.chunks).toString("utf8"),
    cut: stdout.full,
  }))
}

/** A running git that reads lines. */
type RunningGit = {
  /** Undefined when git could not be started: then `ended` rejects. */
  readonly pid: number | undefined
  writeLines(lines: string): void
  /** Closes git's input; must be called. */
  close(): void
  /** Whether this git keeps Node running. At first it does. */
  keepAlive(isBusy: boolean): void
  /** Sends signals, unless git has ended. */
  signal(...names: readonly NodeJS.Signals[]): void
  /** How git ended; its stdout went to `onOutput`. */
  readonly ended: Promise<GitResult>
}

type LongRunning = Pick<Running, "whole"> & { readonly onOutput: (chunk: Buffer) => void }

/** Starts a git that stays. It has no time limit, but each of its answers has one (long-running.ts). */
export function startLongRunning(
  cwd: string,
  args: readonly string[],
  { whole, onOutput }: LongRunning,
): RunningGit {
  const end = beginTrace(cwd, args)
  const child = start(cwd, ["git", ...args], whole)
  const { stdin, pid } = child
  child.stdout?.on("data", onOutput)
  const stderr = gather(child.stderr, STDERR_BYTES_MAX, () => {})
  const ended = hasClosed(child, cwd).then((exitCode) => {
    end(exitCode)
    const message = Buffer.concat(stderr.chunks).toString("utf8")
    return { exitCode, stdout: "", stderr: message, cut: false }
  })
  // The caller awaits `ended` later and gets the error. Until then Node would report it as unhandled.
  void Promise.allSettled([ended])
  return {
    pid,
    ended,
    writeLines: (lines) => void stdin?.write(lines),
    close: () => void stdin?.end(),
    keepAlive: (isBusy) => keepAlive(child, isBusy),
    signal: (...names) => {
      for (const name of names) child.kill(name)
    },
  }
}

function keepAlive(child: ChildProcess, isBusy: boolean): void {
  for (const one of [child, child.stdin, child.stdout, child.stderr] as (Socket | null)[]) {
    if (isBusy) one?.ref()
    else one?.unref()
  }
}

/**
 * Each git gets its own session. It has no terminal to ask for passwords on, and our Ctrl-C does
 * not kill it in the middle of a checkout. Its process group can be ended as one.
 */
function start(
  cwd: string,
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true })
  child.stdin?.on("error", () => {}) // git may end before it reads; its exit code says why
  return child
}

/** @returns the exit code of the process, once all output has been read. */
function hasClosed(child: ChildProcess, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(startError(error, cwd)))
    child.once("close", (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)))
  })
}

/** The output as UTF-8. */
export function stdoutText(result: Pick<GitResult, "stdout">): string {
  return Buffer.from(result.stdout, "latin1").toString("utf8")
}

type Gathered = { readonly chunks: Buffer[]; full: boolean }

function gather(stream: ChildProcess["stdout"], bytesMax: number, onFull: () => void): Gathered {
  const gathered: Gathered = { chunks: [], full: false }
  let room = bytesMax
  stream?.on("data", (chunk: Buffer) => {
    if (room > 0) gathered.chunks.push(chunk.subarray(0, room))
    if (chunk.length > room && !gathered.full) {
      gathered.full = true
      onFull()
    }
    room = Math.max(0, room - chunk.length)
  })
  return gathered
}

function closePipes(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

function startError(error: NodeJS.ErrnoException, cwd: string): Error {
  if (!existsSync(cwd) || error.code === "ENOTDIR") return new FolderMissingError(cwd)
  if (error.code === "ENOENT") return missing(error)
  return new GitStartError(`git could not be started: ${error.message}`, { cause: error })
}

const missing = (cause: unknown) =>
  new GitUnusableError("git.missing", "There is no git program on the PATH.", { cause })

const timeoutError = (cwd: string, args: readonly string[], limitMs: number) =>
  new GitTimeoutError(args[0] ?? "", cwd, limitMs)

const asBytes = (text: string | Buffer): Buffer =>
  typeof text === "string" ? Buffer.from(text, "utf8") : text
