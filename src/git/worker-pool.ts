/** Runs git through small shells, as many as are needed at the same time, within a bound. */
import { isUtf8 } from "node:buffer"
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { makeScratch } from "../process/scratch.ts"
import { baseEnvironment } from "./environment.ts"
import {
  type Companion,
  GitWorker,
  type Talk,
  type WorkerAnswer,
  type WorkerCommand,
} from "./worker.ts"

/**
 * More gits than this at once are started the slow way; each idle shell holds about a megabyte. Those
 * that stay do not count: whoever keeps them has a bound, and they may all be there for nobody.
 */
const WORKERS_MAX = 8
/** Shells take longer lines too, but read them byte by byte. */
const LINE_CHARS_MAX = 64 * 1024
const STDIN_TEXT_BYTES_MAX = 8 * 1024

export type PooledCommand = Omit<WorkerCommand, "env" | "stdinPath"> & {
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Buffer
}

export type PooledTalk = Omit<PooledCommand, "stdin">

type Pooled = {
  readonly worker: GitWorker
  readonly env: NodeJS.ProcessEnv
  isBusy: boolean
  isTalking: boolean
}

const pool: Pooled[] = []

/** @returns undefined when a worker cannot do this, or none is free. */
export async function runPooled(command: PooledCommand): Promise<WorkerAnswer | undefined> {
  if (!fitsOneLine(command)) return undefined
  const pooled = take(command.env)
  const env = pooled && difference(pooled.env, command.env)
  if (!pooled || !env) return undefined
  pooled.isBusy = true
  const { args, stdin, stdinLine, outputBytesMax, onPid } = command
  const cwd = resolve(command.cwd)
  try {
    const rest = { cwd, args, env, outputBytesMax, onPid, stdinLine }
    if (stdin.length === 0) return await pooled.worker.run(rest)
    const stdinText = onPid ? undefined : shortText(stdin)
    if (stdinText !== undefined) return await pooled.worker.run({ ...rest, stdinText })
    using scratch = makeScratch()
    const stdinPath = join(scratch.path, "stdin")
    await writeFile(stdinPath, stdin)
    return await pooled.worker.run({ ...rest, stdinPath })
  } finally {
    pooled.isBusy = false
  }
}

/**
 * Starts a git that stays and is told lines: in a worker of its own, if all others are busy.
 *
 * @returns its worker is free again when it has both ended and been closed.
 */
export function talkPooled(command: PooledTalk, onOutput: (chunk: Buffer) => void): Talk {
  const pooled = take(command.env) ?? added()
  pooled.isBusy = pooled.isTalking = true
  const env = difference(pooled.env, command.env) ?? {}
  const talk = pooled.worker.talk({ ...command, env, cwd: resolve(command.cwd) }, onOutput)
  const closed = Promise.withResolvers<void>()
  void Promise.all([talk.ended, closed.promise]).then(() => {
    pooled.isBusy = pooled.isTalking = false
  })
  const close = () => {
    talk.close()
    closed.resolve()
  }
  return { ...talk, close }
}

/** As {@link talkPooled}, for whoever stays long and says much: the pool has one worker less. */
export function becomePooled(
  command: Omit<PooledTalk, "outputBytesMax">,
  onOutput: (chunk: Buffer) => void,
): Companion {
  const pooled = take(command.env) ?? added()
  pool.splice(pool.indexOf(pooled), 1)
  const env = difference(pooled.env, command.env) ?? {}
  return pooled.worker.become({ ...command, env, cwd: resolve(command.cwd) }, onOutput)
}

/** A free worker, a new one while there may be more, or undefined. */
function take(env: NodeJS.ProcessEnv): Pooled | undefined {
  for (const dead of pool.filter(({ worker }) => !worker.isAlive))
    pool.splice(pool.indexOf(dead), 1)
  const free = pool.find(({ isBusy, env: own }) => !isBusy && difference(own, env) !== undefined)
  const counted = pool.filter(({ isTalking }) => !isTalking)
  return free ?? (counted.length < WORKERS_MAX ? added() : undefined)
}

/** With what every git has: what one command has on top is no hindrance to the next. */
function added(): Pooled {
  const env = baseEnvironment(process.env)
  const pooled = { worker: new GitWorker(env), env, isBusy: false, isTalking: false }
  pool.push(pooled)
  return pooled
}

/**
 * What of `wanted` is not so in `own`.
 *
 * @returns undefined where a variable would have to go, or git be looked for elsewhere.
 */
function difference(
  own: NodeJS.ProcessEnv,
  wanted: NodeJS.ProcessEnv,
): Record<string, string> | undefined {
  if (own["PATH"] !== wanted["PATH"]) return undefined
  if (Object.keys(own).some((name) => wanted[name] === undefined)) return undefined
  const changed = Object.entries(wanted).filter(([name, value]) => own[name] !== value)
  return Object.fromEntries(changed) as Record<string, string>
}

/** What a shell can pass on by itself, which spares a file. */
function shortText(stdin: Buffer): string | undefined {
  if (stdin.length > STDIN_TEXT_BYTES_MAX || stdin.includes(0) || !isUtf8(stdin)) return undefined
  return stdin.toString("utf8")
}

function fitsOneLine({ cwd, args }: PooledCommand): boolean {
  const texts = [cwd, ...args]
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return length <= LINE_CHARS_MAX && !texts.some((text) => /[\n\0]/.test(text))
}
