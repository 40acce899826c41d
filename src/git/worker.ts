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
 * the end of its input and ends; the git that runs then goes on to its end, as one of ours would.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import { assert } from "../core/assert.ts"

const LOOP = 'while IFS= read -r line; do eval "$line"; done'

export type WorkerCommand = {
  /** Absolute. */
  readonly cwd: string
  readonly args: readonly string[]
  /** What differs from the worker's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read from; default: nothing. */
  readonly stdinPath?: string
  readonly outputBytesMax: number
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

  /** Runs one command; the caller waits for its answer before the next. */
  async run(command: WorkerCommand): Promise<WorkerAnswer> {
    assert(!this.#onEnd, "a worker does one thing at a time")
    const word = randomBytes(12).toString("hex")
    this.#hold(true)
    const stop = new AbortController()
    const answers = Promise.all([
      this.#readUntil(this.#shell.stdout, word, { command, stop }),
      this.#readUntil(this.#shell.stderr, word, { command, stop }),
    ])
    const ended = new Promise<undefined>((resolve) => {
      this.#onEnd = () => resolve(undefined)
      if (!this.#isAlive) resolve(undefined)
    })
    this.#shell.stdin?.write(`${commandLine(command, word)}\n`)
    const heard = await Promise.race([answers, ended])
    this.#onEnd = undefined
    this.#hold(false)
    if (stop.signal.aborted) return { kind: "too_long" }
    if (!heard) return { kind: "ended" }
    const [{ body: stdout, code }, { body: stderr }] = heard
    if (code === "gone") return { kind: "no_folder" }
    return { kind: "ran", exitCode: Number(code), stdout, stderr }
  }

  /** Gathers until the line `word <code>`, which is the last that comes. */
  #readUntil(
    stream: ChildProcess["stdout"],
    word: string,
    { command, stop }: { command: WorkerCommand; stop: AbortController },
  ): Promise<{ body: Buffer; code: string }> {
    assert(stream, "a worker is started with pipes")
    const chunks: Buffer[] = []
    let bytes = 0
    return new Promise((resolve) => {
      const onData = (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > command.outputBytesMax && !stop.signal.aborted) {
          stop.abort()
          this.#kill()
        }
        const end = findEnd(chunks, word)
        if (!end) return
        stream.off("data", onData)
        const all = Buffer.concat(chunks)
        resolve({ body: all.subarray(0, all.length - end.length), code: end.code })
      }
      stream.on("data", onData)
    })
  }

  /** Only for an answer without end: the shell goes with its git, and another takes its place. */
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

function commandLine({ cwd, args, env, stdinPath }: WorkerCommand, word: string): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`)
  const git = [...settings, "git", ...args.map(quote)].join(" ")
  const input = quote(stdinPath ?? "/dev/null")
  const run = `cd -P ${quote(cwd)} 2>/dev/null && { ${git} <${input}; r=$?; }`
  return `r=gone; ${run}; cd /; printf '\\n%s %s\\n' ${word} "$r"; printf '\\n%s %s\\n' ${word} "$r" >&2`
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** How long the last line is, when it is the one that ends an answer. */
function findEnd(
  chunks: readonly Buffer[],
  word: string,
): { length: number; code: string } | undefined {
  const reach = word.length + 8 // the word, a space, a code of up to 4, two line ends
  let tail = Buffer.alloc(0)
  for (let n = chunks.length - 1; n >= 0 && tail.length < reach; n--)
    tail = Buffer.concat([chunks[n] ?? tail, tail])
  const text = tail.subarray(-reach).toString("latin1")
  const start = text.lastIndexOf(`\n${word} `)
  if (start < 0 || !text.endsWith("\n")) return undefined
  const line = text.slice(start)
  return { length: line.length, code: line.slice(word.length + 2, -1) }
}
