/**
 * Runs `coppice` in the process of the tests, as its launcher does in a process of its own.
 *
 * A command takes a hundredth of the processor time that a new Node takes. The daemon that it starts is a
 * process, as always.
 */

import { loadAndReadEnded } from "../../src/read-ended.ts"
import { runCommandLine } from "../../src/surfaces/cli/command-line.ts"
import type { Outcome } from "./home.ts"

/** Commands that hold their process until it is ended, run others in its terminal, or start many. */
const OWN_PROCESS = ["attach", "demo", "mcp", "torture", "ui", "uninstall"]

export const runsHere = (args: readonly string[]): boolean =>
  !args.some((arg) => OWN_PROCESS.includes(arg)) &&
  (args[0] !== "up" || args.includes("-d") || args.includes("--detach"))

export type HereOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | Buffer
  readonly timeoutMs: number
}

/** `code` is null when the command had to be interrupted at its time limit. */
export async function runHere(
  args: readonly string[],
  { cwd, env, stdin, timeoutMs }: HereOptions,
): Promise<Outcome> {
  const said = { stdout: "", stderr: "" }
  const stops = new Set<() => void>()
  const notHere = () => Promise.reject(new Error(`\`${args[0]}\` needs a process of its own`))
  const ended = runCommandLine(args, {
    cwd: () => cwd,
    env,
    stdin: pieces(stdin),
    stdout: { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
    onInterrupt(stop) {
      stops.add(stop)
      return () => void stops.delete(stop)
    },
    readEnded: loadAndReadEnded,
    listHomes: async () => (await import("../../src/list-homes.ts")).listHomes(env),
    readNames: async (home) =>
      (await import("../../src/features/homes/read-names.ts")).readNames(home, env),
    runDaemon: notHere,
    uninstallHome: notHere,
    serveMcp: notHere,
    runTorture: notHere,
  })
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(late.resolve, timeoutMs, null)
  try {
    const code = await Promise.race([ended, late.promise])
    if (code === null) for (const stop of stops) stop()
    return { code, ...said }
  } finally {
    clearTimeout(timer)
  }
}

async function* pieces(text: string | Buffer) {
  yield Buffer.from(text)
}
