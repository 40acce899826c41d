/**
 * A small shell that starts git for us.
 *
 * Node starts a child by copying its own page tables. In a daemon that takes several times as long
 * as git itself, and blocks everything else. A shell is small: it reads one command at a time, and
 * git writes straight into the pipes that we read.
 *
 *   us ──stdin: one line a command──► sh ──► git ──stdout, stderr──► us
 *
 * An answer ends with a line that holds a random word. If we die, the shell ends with its input,
 * and its running git finishes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import { assert } from "../../../base/assert.ts"
import { endGroup, limitTime } from "./limits.ts"

export type WorkerCommand = Omit<Line, "waits"> & {
  readonly outputBytesMax: number
  /** Gets git's process id before git does anything. When it throws, git does not start. */
  readonly onPid?: ((pid: number) => void) | undefined
}

export type WorkerAnswer =
  | {
      readonly kind: "ran"
      readonly exitCode: number
      readonly stdout: Buffer
      readonly stderr: Buffer
    }
  /** The folder does not exist or cannot be entered. Git was not started. */
  | { readonly kind: "no_folder" }
  | { readonly kind: "too_long" }
  /** The shell has ended: git may have done its work or not. */
  | { readonly kind: "ended" }
  /** Git was ended: see limits.ts. */
  | { readonly kind: "timed_out"; readonly limitMs: number }

export class GitWorker {
  readonly #shell: ChildProcess
  #isAlive = true
  #onEnd: (() => void) | undefined

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
    this.#shell.stdin?.on("error", () => {}) // the shell has ended, which "close" reports
    this.#shell.unref()
    this.#hold(false)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /**
   * Runs one command. The caller waits for the answer before the next one. Throws only what `onPid`
   * threw.
   */
  async run(command: WorkerCommand): Promise<WorkerAnswer> {
    assert(!this.#onEnd, "a worker does one thing at a time")
    let stopped: WorkerAnswer | undefined
    let onEnded = () => {}
    const lift = limitTime((limitMs) => {
      stopped = { kind: "timed_out", limitMs }
      onEnded = this.#end()
    })
    try {
      const answer = await this.#answer(command, () => {
        stopped = { kind: "too_long" }
        onEnded = this.#end()
      })
      return stopped ?? answer
    } finally {
      lift()
      onEnded()
    }
  }

  async #answer(command: WorkerCommand, onFull: () => void): Promise<WorkerAnswer> {
    const { stdin, stdout: out, stderr: err } = this.#shell
    // Node makes no pipes when file descriptors have run out; the next worker may get some.
    if (!stdin || !out || !err) return this.#without()
    const reading = {
      word: randomBytes(12).toString("hex"),
      bytesMax: command.outputBytesMax,
      onFull,
    }
    this.#hold(true)
    const gate = command.onPid && openGate(stdin, out, command.onPid)
    const answers = Promise.all([readUntil(out, reading), readUntil(err, reading)])
    const ended = new Promise<undefined>((resolve) => {
      this.#onEnd = () => resolve(undefined)
      if (!this.#isAlive) resolve(undefined)
    })
    const line = commandLine({ ...command, waits: gate !== undefined }, reading.word)
    stdin.write(`${line}\n`)
    const heard = await Promise.race([answers, ended])
    this.#onEnd = undefined
    this.#hold(false)
    if (!heard) return { kind: "ended" }
    const [{ body, code }, { body: stderr }] = heard
    if (code === "gone") return { kind: "no_folder" }
    gate?.throwIfShut()
    const stdout = gate ? body.subarray(body.indexOf("\n") + 1) : body
    return { kind: "ran", exitCode: Number(code), stdout, stderr }
  }

  #without(): WorkerAnswer {
    this.#isAlive = false
    return { kind: "ended" }
  }

  /** Ends the shell with its git. Another shell takes its place. */
  #end(): () => void {
    this.#isAlive = false
    const { pid } = this.#shell
    return pid === undefined ? () => {} : endGroup(pid)
  }

  /** Whether this worker keeps Node running. */
  #hold(isBusy: boolean): void {
    for (const stream of [this.#shell.stdin, this.#shell.stdout, this.#shell.stderr]) {
      const socket = stream as Socket | null
      if (isBusy) socket?.ref()
      else socket?.unref()
    }
  }
}

/** Waits for the process id, which comes first. Git starts once `onPid` has it. */
function openGate(shell: Writable, out: Readable, onPid: (pid: number) => void) {
  let said = ""
  let failure: { readonly error: unknown } | undefined
  const onData = (chunk: Buffer) => {
    said += chunk.toString("latin1")
    if (!said.includes("\n")) return
    out.off("data", onData)
    const pid = /^(\d+)\n/.exec(said)?.[1]
    if (pid === undefined) return // the folder cannot be entered
    try {
      onPid(Number(pid))
    } catch (error) {
      failure = { error }
    }
    shell.write(failure ? "stop\n" : "go\n")
  }
  out.on("data", onData)
  return {
    throwIfShut() {
      if (failure) throw failure.error
    },
  }
}

export type RawAnswer = { readonly body: Buffer; readonly code: string }

export type OutputReading = {
  /** Starts the last line, before git's exit code. */
  readonly word: string
  readonly bytesMax: number
  /** Called once, if there is more. */
  readonly onFull: () => void
}

/** Gathers until the line `word <code>`, which is the last that comes. */
function readUntil(
  stream: Readable,
  { word, bytesMax, onFull }: OutputReading,
): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  const reach = word.length + 8 // a space, a code of up to 4, two line ends
  let tail = Buffer.alloc(0)
  let bytes = 0
  return new Promise((resolve) => {
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      tail = Buffer.concat([tail, chunk.subarray(-reach)]).subarray(-reach)
      if (bytes > bytesMax && bytes - chunk.length <= bytesMax) onFull()
      const end = findEnd(tail.toString("latin1"), word)
      if (!end) return
      stream.off("data", onData)
      resolve({ body: Buffer.concat(chunks).subarray(0, bytes - end.length), code: end.code })
    }
    stream.on("data", onData)
  })
}

/** How long the last line is, when it is the one that ends an answer. */
function findEnd(text: string, word: string): { length: number; code: string } | undefined {
  const start = text.lastIndexOf(`\n${word} `)
  if (start < 0 || !text.endsWith("\n")) return undefined
  const line = text.slice(start)
  return { length: line.length, code: line.slice(word.length + 2, -1) }
}

export type Line = {
  /** Absolute. */
  readonly cwd: string
  readonly args: readonly string[]
  /** The variables that differ from the shell's own. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read from; default: nothing. */
  readonly stdinPath?: string | undefined
  /** Whether it prints its process id and waits for a line before it becomes git. */
  readonly waits: boolean
}

/** Waits for a line. If we die instead, or must not start git, this ends. */
export const GATE = `IFS= read -r go && [ "$go" = go ] || exit 125; exec git "$@"`
const NUMBERED_GATE = `echo $$; ${GATE} <"$0"`

const RUN = "run "
/** Runs each line that it reads. `$nl` is a line break inside an argument. */
const LOOP = `nl='
'
while IFS= read -r line; do
case $line in "${RUN}"*) eval "\${line#${RUN}}";; *) exit 125;; esac
done`

/**
 * Runs git. The last line on stdout and stderr is `word <exit code>`, or `word gone` if the folder
 * cannot be entered.
 */
function commandLine(
  { cwd, args, env, stdinPath = "/dev/null", waits }: Line,
  word: string,
): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  const words = args.map(quote)
  const git = waits
    ? ["/bin/sh", "-c", quote(NUMBERED_GATE), quote(stdinPath), ...words]
    : ["git", ...words, `<${quote(stdinPath)}`]
  const run = `cd -P ${quote(cwd)} 2>/dev/null && { ${[...settings, ...git].join(" ")}; r=$?; }`
  const ends = [1, 2].map((to) => `printf '\\n%s %s\\n' ${word} "$r" >&${to}`).join("; ")
  return `${RUN}r=gone; ${run}; cd /; ${ends}`
}

const quote = (text: string): string =>
  `'${text.replaceAll("'", "'\\''").replaceAll("\n", `'"$nl"'`)}'`
