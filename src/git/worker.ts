/**
 * A small shell that starts git for us.
 *
 * Node starts a child by copying its own page tables, which takes a daemon several times as long as
 * git then runs, and holds up everything else meanwhile. A shell is small: it is told one command
 * at a time, and git writes straight into the pipes that we read.
 *
 *   us ──stdin: one line a command──► sh ──► git ──stdout, stderr──► us
 *
 * The end of an answer is a line with a word that nobody can guess. When we die, the shell reads
 * the end of its input and ends; the git that runs then goes on to its end, as one of ours would,
 * and one that we talk to sees the end of its input.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import { assert } from "../core/assert.ts"
import { endGroup, watchSilence } from "./silence.ts"
import { readUntil } from "./worker-answer.ts"
import { becomeLine, commandLine, GO, type Line, LOOP, talkLine, toldWord } from "./worker-lines.ts"

type Command = Omit<Line, "argv"> & {
  /** Of git. */
  readonly args: readonly string[]
}

export type WorkerCommand = Command & {
  readonly outputBytesMax: number
  /** Told git's process id before git starts; when it throws, git does not. */
  readonly onPid?: ((pid: number) => void) | undefined
  /** Instead of what else there is to read: see exec.ts. */
  readonly stdinLine?: Promise<string> | undefined
}

export type WorkerAnswer =
  | {
      readonly kind: "ran"
      readonly exitCode: number
      readonly stdout: Buffer
      readonly stderr: Buffer
    }
  /** There is no such folder, or it cannot be entered; git was not started. */
  | { readonly kind: "no_folder" }
  | { readonly kind: "too_long" }
  /** The shell has ended: nobody knows how far git got. */
  | { readonly kind: "ended" }
  /** So it was made to: see silence.ts. */
  | { readonly kind: "silent"; readonly silentMs: number }

/** A git that stays and is told lines. */
export type Talk = {
  say(lines: string): void
  /** Says no more. Must be called, also when git has ended by itself. */
  close(): void
  /** Whether Node has to wait for this git before it ends by itself; at first it has. */
  hold(isBusy: boolean): void
  /** How git ended. Its output went to `onOutput`. */
  readonly ended: Promise<WorkerAnswer>
}

/** One that a worker has become. Where it cannot be started it ends at once: another git says why. */
export type Companion = Pick<Talk, "say" | "close" | "hold"> & {
  kill(): void
  readonly ended: Promise<void>
}

export class GitWorker {
  readonly #shell: ChildProcess
  #isAlive = true
  #onEnd: (() => void) | undefined

  /** @param env of every command, where the command does not say otherwise. */
  constructor(env: NodeJS.ProcessEnv) {
    this.#shell = spawn("/bin/sh", ["-c", LOOP], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true, // no terminal, and no share in a Ctrl-C that is meant for us
    })
    const end = () => {
      this.#isAlive = false
      this.#onEnd?.()
    }
    this.#shell.on("error", end)
    this.#shell.on("close", end)
    this.#shell.stdin?.on("error", () => {}) // the shell has ended; its end is told above
    this.#shell.unref()
    this.#hold(false)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Runs one command; the caller waits for its answer before the next. @throws what `onPid` does. */
  async run(command: WorkerCommand): Promise<WorkerAnswer> {
    let untold: { readonly error: unknown } | undefined
    const onPid = (pid: number) => {
      untold = tell(pid, command.onPid)
      this.#shell.stdin?.write(untold ? "stop\n" : `${GO}\n`)
    }
    const word = newWord()
    const waits = { ...command, word, onPid: command.onPid && onPid }
    const isGated = command.onPid !== undefined
    const isAwaited = command.stdinLine !== undefined
    assert(!isGated || !isAwaited, "a git is told one thing before it starts")
    const line = commandLine(asLine(command), word, { isGated, isAwaited })
    const answering = this.#answer(line, waits)
    let isTold = !isAwaited
    const watch = this.#watch()
    if (isTold) watch.begin()
    void command.stdinLine?.then((text) => {
      isTold = true
      this.#shell.stdin?.write(`${text}\n`)
      watch.begin()
    })
    const answer = await answering
    const silentMs = watch.end()
    if (silentMs !== undefined) return { kind: "silent", silentMs }
    if (untold) throw untold.error
    const isFed = isAwaited || command.stdinText !== undefined
    const heard = isTold && isFed ? withoutTold(answer, word) : answer
    if (isTold && heard) return heard
    this.#kill() // who was to tell git all that it reads has ended: the next git might hear the rest
    return { kind: "ended" }
  }

  /**
   * Starts a git to talk to; the caller waits for its end before the next command.
   *
   * @param command `onPid` is told git's process id when git runs, and may be about to be told lines.
   * @param onOutput what git says to stdout, as it comes; behind its end comes what is not git's.
   */
  talk(command: WorkerCommand, onOutput: (chunk: Buffer) => void): Talk {
    const word = newWord()
    let isClosed = false
    const say = (text: string) => void this.#shell.stdin?.write(text)
    const { onPid } = command
    const answer = this.#answer(talkLine(asLine(command), word), {
      ...command,
      word,
      onPid,
      onOutput,
    })
    const ended = answer.then((how) => {
      isClosed ||= how.kind !== "ran" // then nobody listens for the word
      return how
    })
    return {
      ended,
      say,
      hold: (isBusy) => this.#hold(isBusy),
      close: () => {
        if (!isClosed) say(`${word}\n`)
        isClosed = true
      },
    }
  }

  /**
   * Becomes a git to talk to. It hears us itself, which is several times as fast as through a shell that
   * reads byte by byte; but this is a worker no more.
   */
  become(command: Command, onOutput: (chunk: Buffer) => void): Companion {
    assert(!this.#onEnd, "a worker does one thing at a time")
    const { stdin, stdout, stderr } = this.#shell
    assert(stdin && stdout && stderr, "a worker is started with pipes")
    const ended = new Promise<void>((resolve) => {
      this.#onEnd = resolve
      if (!this.#isAlive) resolve()
    })
    stdout.on("data", onOutput)
    stderr.resume() // nobody is told why: whoever wants to know asks another git
    const say = (text: string) => void stdin.write(text)
    say(`${becomeLine(asLine(command))}\n`)
    return {
      say,
      ended,
      close: () => void stdin.end(),
      hold: (isBusy) => this.#hold(isBusy),
      kill: () => void this.#shell.kill("SIGKILL"),
    }
  }

  async #answer(
    line: string,
    { word, outputBytesMax, onPid, onOutput }: Awaited,
  ): Promise<WorkerAnswer> {
    assert(!this.#onEnd, "a worker does one thing at a time")
    this.#hold(true)
    const stop = new AbortController()
    const onFull = () => {
      stop.abort()
      this.#kill()
    }
    const { stdout: out, stderr: err } = this.#shell
    assert(out && err, "a worker is started with pipes")
    const answers = Promise.all([
      readUntil(out, { word, bytesMax: outputBytesMax, onFull, onPid, onOutput }),
      readUntil(err, { word, bytesMax: outputBytesMax, onFull }),
    ])
    const ended = new Promise<undefined>((resolve) => {
      this.#onEnd = () => resolve(undefined)
      if (!this.#isAlive) resolve(undefined)
    })
    this.#shell.stdin?.write(`${line}\n`)
    const heard = await Promise.race([answers, ended])
    this.#onEnd = undefined
    this.#hold(false)
    if (stop.signal.aborted) return { kind: "too_long" }
    if (!heard) return { kind: "ended" }
    const [{ body: stdout, code }, { body: stderr }] = heard
    if (code === "gone") return { kind: "no_folder" }
    return { kind: "ran", exitCode: Number(code), stdout, stderr }
  }

  /** `end` tells how long git was silent, if it had to end. */
  #watch() {
    const { pid } = this.#shell
    let end: (() => void) | undefined
    let isOver = false
    let silentMs: number | undefined
    const onSilent = (doneNothingMs: number) => {
      silentMs = doneNothingMs
      this.#isAlive = false
      if (pid !== undefined) end = endGroup(pid)
    }
    return {
      begin: () => {
        if (!isOver && pid !== undefined) end = watchSilence(pid, onSilent)
      },
      end: () => {
        isOver = true
        end?.()
        return silentMs
      },
    }
  }

  /** For an answer without end, or before its time: the shell goes with its git, and another takes its place. */
  #kill(): void {
    this.#isAlive = false
    const { pid } = this.#shell
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL")
    } catch {
      // it has ended this instant
    }
  }

  /** Whether Node has to wait for this worker before it ends by itself. */
  #hold(isBusy: boolean): void {
    for (const stream of [this.#shell.stdin, this.#shell.stdout, this.#shell.stderr]) {
      const socket = stream as Socket | null
      if (isBusy) socket?.ref()
      else socket?.unref()
    }
  }
}

type Awaited = Pick<WorkerCommand, "outputBytesMax"> & {
  readonly word: string
  readonly onPid?: ((pid: number) => void) | undefined
  readonly onOutput?: ((chunk: Buffer) => void) | undefined
}

const asLine = (command: Command): Line => ({ ...command, argv: ["git", ...command.args] })
const newWord = () => randomBytes(12).toString("hex")

/** @returns undefined where git was not told all that it was to read: what it answered is worth nothing. */
function withoutTold(answer: WorkerAnswer, word: string): WorkerAnswer | undefined {
  if (answer.kind !== "ran") return answer
  const line = `\n${toldWord(word)}\n`
  const { stderr } = answer
  const at = stderr.indexOf(line)
  if (at < 0) return undefined
  const rest = [stderr.subarray(0, at), stderr.subarray(at + line.length)]
  return { ...answer, stderr: Buffer.concat(rest) }
}

/** @returns what the callback threw. */
function tell(pid: number, onPid: WorkerCommand["onPid"]): { error: unknown } | undefined {
  try {
    onPid?.(pid)
    return undefined
  } catch (error) {
    return { error }
  }
}
