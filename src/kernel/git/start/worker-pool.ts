/** Runs git through small shells, as many as are needed at the same time, within a bound. */
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { makeScratch } from "../../process/scratch-folder.ts"
import { baseEnvironment } from "./environment.ts"
import { GitWorker, type WorkerAnswer, type WorkerCommand } from "./worker.ts"

/** Further commands at the same time start the slow way. Each idle shell holds about a megabyte. */
const WORKERS_MAX = 8
/** Shells take longer lines too, but read them byte by byte. */
const LINE_CHARS_MAX = 64 * 1024

export type PooledCommand = Omit<WorkerCommand, "env" | "stdinPath"> & {
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Buffer
}

type Pooled = { readonly worker: GitWorker; readonly env: NodeJS.ProcessEnv; isBusy: boolean }

const pool: Pooled[] = []

/** @returns undefined if a worker cannot do this, or none is free. Throws only what `onPid` threw. */
export async function runPooled(command: PooledCommand): Promise<WorkerAnswer | undefined> {
  if (!fitsOneLine(command)) return undefined
  const pooled = take(command.env)
  const env = pooled && difference(pooled.env, command.env)
  if (!pooled || !env) return undefined
  pooled.isBusy = true
  const { args, stdin, outputBytesMax, onPid } = command
  const line = { cwd: resolve(command.cwd), args, env, outputBytesMax, onPid }
  try {
    if (stdin.length === 0) return await pooled.worker.run(line)
    using scratch = makeScratch()
    const stdinPath = join(scratch.path, "stdin")
    await writeFile(stdinPath, stdin)
    return await pooled.worker.run({ ...line, stdinPath })
  } finally {
    pooled.isBusy = false
  }
}

/** A free worker, a new one while there may be more, or undefined. */
function take(env: NodeJS.ProcessEnv): Pooled | undefined {
  for (const dead of pool.filter(({ worker }) => !worker.isAlive))
    pool.splice(pool.indexOf(dead), 1)
  const free = pool.find(({ isBusy, env: own }) => !isBusy && difference(own, env) !== undefined)
  if (free || pool.length >= WORKERS_MAX) return free
  const base = baseEnvironment(process.env) // variables of one command do not affect the next
  const pooled = { worker: new GitWorker(base), env: base, isBusy: false }
  pool.push(pooled)
  return pooled
}

/**
 * The variables of `wanted` that differ from `own`.
 *
 * @returns undefined if a variable would have to be unset, or the PATH differs.
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

function fitsOneLine({ cwd, args }: PooledCommand): boolean {
  const texts = [cwd, ...args]
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return length <= LINE_CHARS_MAX && !texts.some((text) => /[\n\0]/.test(text))
}
