/**
 * Runs the program from outside, as a person would, in a home folder of the test's own.
 *
 * Nothing of the user who runs the tests gets in: no variable, no configuration, no login, and no
 * agent program on the PATH. At the end of the scope every daemon started in it has ended, with all
 * of its processes.
 */
import { spawn } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { daemonProgram } from "../../src/api/client/start-daemon.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { runHere, runsHere } from "./command-here.ts"
import { approveHome } from "./trust.ts"
import { waitFor } from "./wait-for.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const SDK = "@anthropic-ai/claude-agent-sdk"
const TIMEOUT_MS = 60_000

/** Names the folder with the bundled program, where one was made; else the working copy's is run. */
export const BUILT = "TESTED_COPPICE"
const built = process.env[BUILT]
export const LAUNCHER = join(built ?? ROOT, "bin/coppice.js")
daemonProgram.launcher = LAUNCHER

/** The result of a command. `code` is null when it had to be killed at its time limit. */
export type Outcome = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type CoppiceOptions = {
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | Buffer
  /** Default: one minute. */
  readonly timeoutMs?: number
  /** Whether what the home names was approved before. Default: true. */
  readonly trusted?: boolean
  /** A program to run. Default: the code of the command in this process, else {@link LAUNCHER}. */
  readonly bin?: string
}

export class ScratchHome implements AsyncDisposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "coppice-home-")))
  readonly #keep: boolean

  /** @param options.keep leaves the folder, for inspection. */
  constructor({ keep = false }: { readonly keep?: boolean } = {}) {
    this.#keep = keep
  }

  /** The environment of a command in this home, with the variables of `extra`. */
  env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { ...cleanEnv({ home: this.path }), ...extra }
  }

  /** The logs of all daemons of this home. */
  readonly daemonLogs = (): string =>
    globSync(join(stateHome(this.path), "coppice", "*", "daemon.log"))
      .map((path) => `${path}:\n${readFileSync(path, "utf8")}`)
      .join("\n")

  /** Ends the daemons of this home, by pid, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    const records = globSync(join(stateHome(this.path), "coppice", "*", "daemon.json"))
    await Promise.all(records.map(endDaemon))
    if (!this.#keep) rmSync(this.path, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A whole environment. `path`: folders to search before the system's. */
function cleanEnv(from: { home: string; path?: readonly string[] }): Record<string, string> {
  return {
    PATH: [...(from.path ?? []), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    HOME: from.home,
    LANG: "C.UTF-8",
    XDG_STATE_HOME: stateHome(from.home),
    // The compiled code of a bundle is removed with it.
    ...(built && { NODE_COMPILE_CACHE: join(built, "compiled") }),
    // The SDK's own program, there or not: one of the PATH is never taken.
    COPPICE_CLAUDE: join(
      ROOT,
      "node_modules",
      `${SDK}-${process.platform}-${process.arch}`,
      "claude",
    ),
  }
}

/** Runs `coppice` with `args` to its end, or kills it at its time limit. */
export async function coppice(
  cwd: string,
  args: readonly string[],
  { env, stdin = "", timeoutMs = TIMEOUT_MS, trusted = true, bin }: CoppiceOptions,
): Promise<Outcome> {
  if (trusted) await approveHome(cwd, args, env)
  if (bin === undefined && runsHere(args)) return runHere(args, { cwd, env, stdin, timeoutMs })
  const child = spawn(process.execPath, [bin ?? LAUNCHER, ...args], {
    cwd,
    env,
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  })
  child.stdin.on("error", () => {}) // The program ended without reading: its outcome says so.
  child.stdin.end(stdin)
  const { promise, resolve: settle, reject } = Promise.withResolvers<number | null>()
  child.on("error", reject).on("exit", settle)
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    promise,
  ])
  return { code, stdout, stderr }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

const stateHome = (home: string): string => join(home, "state")

/** TERM, then KILL; never a process that merely got the pid of a daemon that is gone. */
async function endDaemon(record: string): Promise<void> {
  const { pid, identity } = JSON.parse(readFileSync(record, "utf8"))
  const found = readIdentity(pid)
  if (found === undefined || (identity !== undefined && identity !== found)) return
  const isGone = () => readIdentity(pid) !== found
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isGone()) tell(pid, signal)
    const waiting = waitFor(`the end of daemon ${pid}`, isGone, 10_000)
    // A process that does not end when asked is killed; one that survives fails the test.
    if (signal === "SIGTERM") await waiting.catch(() => {})
    else await waiting
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error // else it has just ended
  }
}
