/**
 * The only place that starts git.
 *
 * Every other file in this folder is one git command: it builds arguments, calls `git`, and parses
 * stable output (plumbing, porcelain formats, `-z`, exit codes). None parses what git says to
 * people. Output is one char per raw byte, because paths and commits need not be UTF-8.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { isDiskFull } from "../process/room.ts"
import { type ConfigEntry, LIST_CONFIG } from "./config-cache.ts"
import { baseEnvironment } from "./environment.ts"
import { environmentAt, readConfig } from "./environment-at.ts"
import {
  FolderMissingError,
  GitError,
  GitStartError,
  GitUnusableError,
  OutputTooLongError,
} from "./errors.ts"
import { endGroup, GitSilentError, watchSilence } from "./silence.ts"
import type { Companion, WorkerAnswer } from "./worker.ts"
import { becomePooled, runPooled, talkPooled } from "./worker-pool.ts"

export type GitResult = {
  readonly exitCode: number
  /** Raw bytes, decoded as latin1; see {@link stdoutText}. */
  readonly stdout: string
  /** For people only. */
  readonly stderr: string
  /** True when there was more output than `cutAtBytes`; git was then ended. */
  readonly cut: boolean
}

export type GitOptions = {
  /** Exit codes that are answers. Any other throws {@link GitError}. Default: only 0. */
  readonly answers?: readonly number[]
  readonly stdin?: string | Buffer
  /** Instead of it, one line that is said while git starts; empty: nothing. It must come, whatever happens. */
  readonly stdinLine?: Promise<string>
  readonly env?: Readonly<Record<string, string>>
  /** Configuration for this call alone, by key. */
  readonly settings?: Readonly<Record<string, string>>
  /** Ends git when it aborts; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Told git's process id before git does anything. When it throws, git does not outlive that:
   * nobody could end it later. The call then rejects with what it threw.
   */
  readonly onPid?: (pid: number) => void
  /** Keep only the first bytes of the output. Without it, too much output is an error. */
  readonly cutAtBytes?: number
  /** git may leave a process behind that holds our pipes (an ssh master): do not wait for it. */
  readonly leavesHelpers?: boolean
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const STDERR_BYTES_MAX = 64 * 1024
/** As of a process that was killed. */
const SHELL_ENDED = 137
/** With which a shell says that it found no git, or may not run it; git itself never does. */
const SHELL_FAILURES: readonly number[] = [126, 127]
/** How long we listen on after git has gone, where it may have left a helper. */
const DRAIN_MS_MAX = 200

/**
 * Runs `git <args>` in `cwd`.
 *
 * @throws {GitError} on an exit code that is not an answer.
 * @throws {GitUnusableError} @throws {GitStartError} @throws {FolderMissingError}
 * @throws {OutputTooLongError} @throws {GitSilentError} see silence.ts.
 */
export async function git(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  options.signal?.throwIfAborted()
  const result = await run(cwd, args, { ...options, whole: await environmentOf(cwd, options) })
  options.signal?.throwIfAborted()
  const isAnswer = result.cut || (options.answers ?? [0]).includes(result.exitCode)
  if (isAnswer) return result
  const disks = [cwd, options.env?.["GIT_DIR"] ?? cwd] // where it writes may be another than where it stands
  const areFull = await Promise.all(disks.map(isDiskFull))
  throw new GitError(args, result, { isDiskFull: areFull.includes(true) })
}

/** All settings that git sees at `cwd`, weakest first; what we overrule comes last. */
export const readConfigAt = (cwd: string): Promise<readonly ConfigEntry[]> =>
  readConfig({ cwd }, listConfigAt(cwd))

const environmentOf = (cwd: string, { env, settings }: Pick<GitOptions, "env" | "settings">) =>
  environmentAt({ cwd, env, settings }, listConfigAt(cwd))

/** Where git cannot say it, it cannot run there either, and the caller's own git says why. */
const listConfigAt = (cwd: string) => async (whole: NodeJS.ProcessEnv) =>
  (await run(cwd, LIST_CONFIG, { whole })).stdout

type Running = GitOptions & {
  /** The whole environment. */
  readonly whole: NodeJS.ProcessEnv
}

const run = async (cwd: string, args: readonly string[], options: Running): Promise<GitResult> =>
  (await runInWorker(cwd, args, options)) ?? (await runAsChild(cwd, args, options))

/**
 * The usual way, and much the faster one from a large process: see worker.ts.
 *
 * @returns undefined where git must be a child of our own: to be ended, or because a shell could
 *   not start it (then the child's error says why).
 */
async function runInWorker(
  cwd: string,
  args: readonly string[],
  options: Running,
): Promise<GitResult | undefined> {
  const { signal, onPid, cutAtBytes, leavesHelpers, stdinLine, whole: env } = options
  if (signal || leavesHelpers || cutAtBytes !== undefined) return undefined
  const stdin = asBytes(options.stdin ?? "")
  const outputBytesMax = OUTPUT_BYTES_MAX
  const answer = await runPooled({ cwd, args, env, stdin, stdinLine, outputBytesMax, onPid })
  if (!answer || answer.kind === "no_folder") return undefined
  if (answer.kind === "too_long") throw new OutputTooLongError(args, OUTPUT_BYTES_MAX)
  if (answer.kind === "silent") throw silentError(cwd, args, answer.silentMs)
  if (answer.kind === "ended") throw new GitStartError("the shell that starts git has ended")
  if (SHELL_FAILURES.includes(answer.exitCode)) return undefined
  return asResult(answer)
}

function asResult({ exitCode, stdout, stderr }: WorkerAnswer & { kind: "ran" }): GitResult {
  return {
    exitCode,
    stdout: stdout.toString("latin1"),
    stderr: stderr.toString("utf8").slice(0, STDERR_BYTES_MAX),
    cut: false,
  }
}

/** A git that stays and is told lines. */
export type Conversation = {
  readonly pid: number
  say(lines: string): void
  /** Whether Node has to wait for it before it ends by itself; at first it has. */
  hold(isBusy: boolean): void
  /** To git itself, unless it has ended. */
  signal(...names: readonly NodeJS.Signals[]): void
  /** How git ended; what it said on stdout is not in it. */
  readonly ended: Promise<GitResult>
  /** Says no more; must be called. */
  close(): void
}

/**
 * Starts a git to talk to; everybody else calls {@link git}.
 *
 * @param options `onOutput` is told what git says, as it comes; behind its end may come what is not git's.
 * @throws {GitStartError} @throws {FolderMissingError}
 */
export async function converse(
  cwd: string,
  args: readonly string[],
  { onOutput, ...rest }: ConversationOptions,
): Promise<Conversation> {
  const env = await environmentOf(cwd, rest)
  const started = Promise.withResolvers<number>()
  const command = { cwd, args, env, outputBytesMax: OUTPUT_BYTES_MAX, onPid: started.resolve }
  const talk = talkPooled(command, onOutput)
  const answer = await Promise.race([started.promise, talk.ended])
  if (typeof answer !== "number") {
    talk.close()
    if (answer.kind === "no_folder") throw new FolderMissingError(cwd)
    throw new GitStartError("the shell that starts git has ended")
  }
  let hasEnded = false
  const ended = talk.ended.then((how): GitResult => {
    hasEnded = true
    if (how.kind === "ran") return asResult(how)
    return { exitCode: SHELL_ENDED, stdout: "", stderr: "its shell has ended", cut: false }
  })
  const signal = (...names: readonly NodeJS.Signals[]) => {
    for (const name of hasEnded ? [] : names) sendTo(answer, name)
  }
  return { ...talk, ended, pid: answer, signal }
}

/** Starts one that stays long and is told much: it hears us itself, without a shell in between. */
export function keepCompany(
  cwd: string,
  args: readonly string[],
  { onOutput, ...rest }: ConversationOptions,
): Companion {
  const env = { ...baseEnvironment(process.env), ...rest.env } // it runs no program, and asks for none
  return becomePooled({ cwd, args, env }, onOutput)
}

type ConversationOptions = Pick<GitOptions, "env"> & {
  readonly onOutput: (chunk: Buffer) => void
}

async function runAsChild(
  cwd: string,
  args: readonly string[],
  options: Running,
): Promise<GitResult> {
  const child = startGit(cwd, args, options)
  child.stdin?.on("error", () => {}) // git may end before it reads; its exit code says why
  const result = collect(child, cwd, args, options)
  const { stdin = "", stdinLine } = options
  if (stdinLine !== undefined) void stdinLine.then((line) => child.stdin?.end(line && `${line}\n`))
  else child.stdin?.end(asBytes(stdin))
  return await result
}

/** The output as UTF-8. */
export function stdoutText(result: Pick<GitResult, "stdout">): string {
  return Buffer.from(result.stdout, "latin1").toString("utf8")
}

/**
 * It gets a session of its own: no terminal to ask for passwords on, no share in the Ctrl-C that
 * is meant for us (which would kill it in the middle of a checkout), one group to end.
 */
function startGit(cwd: string, args: readonly string[], { whole }: Running): ChildProcess {
  return spawn("git", args, {
    cwd,
    env: whole,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  })
}

/**
 * Gathers what git says until it has ended; call it before anything is said to it. Rejects only
 * when git cannot be started or heard, or `onPid` throws, and in that case after git has ended.
 */
function collect(
  child: ChildProcess,
  cwd: string,
  args: readonly string[],
  { cutAtBytes, signal, onPid, leavesHelpers, stdinLine }: GitOptions,
): Promise<GitResult> {
  const untold = tellPid(child, onPid) // first: until then git has no owner
  const end = () => {
    if (child.exitCode === null && child.signalCode === null) endGit(child)
  }
  let silent: GitSilentError | undefined
  const onSilent = (silentMs: number) => {
    const close = () => closePipes(child)
    if (child.exitCode !== null || child.signalCode !== null) return close() // git has said all
    silent = silentError(cwd, args, silentMs)
    end()
    child.once("exit", close) // whoever else holds them may not let go
  }
  let unwatch = () => {}
  const watch = () => {
    const { pid, exitCode } = child
    if (pid !== undefined && exitCode === null) unwatch = watchSilence(pid, onSilent)
  }
  if (!leavesHelpers) void Promise.resolve(stdinLine).then(watch) // the network has a time limit of its own
  const stdout = gather(child.stdout, cutAtBytes ?? OUTPUT_BYTES_MAX, end)
  const stderr = gather(child.stderr, STDERR_BYTES_MAX, () => {})
  signal?.addEventListener("abort", end, { once: true })
  if (signal?.aborted) end()
  if (leavesHelpers) child.once("exit", () => setTimeout(() => closePipes(child), DRAIN_MS_MAX))
  if (untold) end()
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      unwatch()
      reject(startError(error, cwd))
    })
    child.once("close", (code, name) => {
      unwatch()
      signal?.removeEventListener("abort", end)
      if (silent) return reject(silent)
      if (untold) return reject(untold.error)
      if (stdout.full && cutAtBytes === undefined)
        return reject(new OutputTooLongError(args, OUTPUT_BYTES_MAX))
      resolve({
        exitCode: code ?? 128 + (name ? constants.signals[name] : 0),
        stdout: Buffer.concat(stdout.chunks).toString("latin1"),
        stderr: Buffer.concat(stderr.chunks).toString("utf8"),
        cut: stdout.full,
      })
    })
  })
}

/** @returns what the callback threw: git runs on without an owner. */
function tellPid(
  { pid }: ChildProcess,
  onPid: GitOptions["onPid"],
): { readonly error: unknown } | undefined {
  try {
    if (pid !== undefined) onPid?.(pid)
    return undefined
  } catch (error) {
    return { error }
  }
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

function endGit(child: ChildProcess): void {
  if (child.pid !== undefined) child.once("exit", endGroup(child.pid))
}

/** Called only while we have not yet been told of git's end, so the number is still git's. */
function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended this instant: some systems refuse signals to a group of zombies.
  }
}

function closePipes(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

const silentError = (cwd: string, args: readonly string[], silentMs: number) =>
  new GitSilentError(args[0] ?? "", cwd, silentMs)

function startError(error: NodeJS.ErrnoException, cwd: string): Error {
  if (!existsSync(cwd) || error.code === "ENOTDIR") return new FolderMissingError(cwd)
  if (error.code === "ENOENT")
    return new GitUnusableError("git.missing", "There is no git program on the PATH.", {
      cause: error,
    })
  return new GitStartError(`git could not be started: ${error.message}`, { cause: error })
}

const asBytes = (text: string | Buffer): Buffer =>
  typeof text === "string" ? Buffer.from(text, "utf8") : text
