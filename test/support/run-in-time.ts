/**
 * Runs a program that could hang, such as npm, with a time limit of its own.
 *
 * A failure shows what helps to find its cause: the command, its output so far, and the logs of the
 * daemons that it talked to. After the time limit, it also shows the processes of the machine.
 */
import { spawn, spawnSync } from "node:child_process"
import type { Readable } from "node:stream"

/** More than this hangs: npm itself takes about a second. */
const RUN_MS_MAX = 60_000

type Run = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Called after a failure. */
  readonly logs: () => string
  /** Default: one minute. */
  readonly msMax?: number
}

/** @returns the program's stdout. @throws if it fails, or has not ended in time. */
export async function runInTime(
  [program = "", ...args]: readonly string[],
  { cwd, env, logs, msMax = RUN_MS_MAX }: Run,
): Promise<string> {
  // A process group of its own, so that its end is the end of its children.
  const child = spawn(program, args, { cwd, env, detached: true })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.on("error", reject)
  child.on("close", (code, signal) => resolve(`ended with ${code ?? signal}`))
  const timer = setTimeout(() => {
    resolve(`had not ended after ${msMax} ms. All processes:\n${listProcesses()}`)
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL")
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }, msMax)
  const end = await promise.finally(() => clearTimeout(timer))
  if (end === "ended with 0") return stdout()
  const parts = { stdout: stdout(), stderr: stderr(), "daemon logs": logs() }
  const shown = Object.entries(parts).map(([name, part]) => `${name}:\n${part}`)
  throw new Error([`${[program, ...args].join(" ")} ${end}`, ...shown].join("\n"))
}

/** @returns a function with the output so far. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = []
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString("utf8")
}

function listProcesses(): string {
  return spawnSync("ps", ["-eo", "pid,ppid,pgid,etime,stat,args"], { encoding: "utf8" }).stdout
}
