/** Runs a program to its end, with a clean environment and a bound on time. */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { text } from "node:stream/consumers"

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type ToRun = {
  /** The script that Node runs, with its arguments. */
  readonly args: readonly string[]
  readonly cwd: string
  /** HOME, and the place of temporary files. */
  readonly scratch: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** @returns with code null where it took too long, or was ended. */
export async function runNode({ args, cwd, scratch, timeoutMs, signal }: ToRun): Promise<Ran> {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: scratch,
    TMPDIR: scratch,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
  }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const end = () => child.kill("SIGTERM")
  const timer = setTimeout(end, timeoutMs)
  signal.addEventListener("abort", end)
  const code = new Promise<number | null>((resolve) => {
    child.once("exit", (exitCode) => resolve(exitCode))
    child.once("error", () => resolve(null))
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  clearTimeout(timer)
  signal.removeEventListener("abort", end)
  return { code: await code, stdout, stderr }
}
