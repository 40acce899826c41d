/**
 * Runs the command line in this process, and gives it the parts that it does not import.
 *
 * bin/coppice.js starts it, and so does the single executable.
 */

import { makeCacheFolder } from "./api/client/make-private-folder.ts"
import { loadAndReadEnded } from "./read-ended.ts"
import type { Surroundings } from "./surfaces/cli/command-line.ts"

/** Ctrl-C: a second one may cut an orderly end short. */
const PRESSED = "SIGINT"
/** `kill`, and a closed terminal. The shell and the system may both send it, so a second one adds nothing. */
const SENT = ["SIGTERM", "SIGHUP"] as const

/** @returns the exit code. */
export async function launch(): Promise<number> {
  keepCompiled()
  const args = process.argv.slice(2)
  // TERMINAL_HOST and RELAY, by their texts: no command loads the files that name them.
  if (args[0] === "terminal-host")
    return (await import("./features/terminals/terminal-host.ts")).hostTerminal(args.slice(1))
  if (args[0] === "relay")
    return (await import("./features/containment/relay.ts")).runRelay(args.slice(1))
  process.stdout.on("error", endEarly)
  process.stderr.on("error", () => {}) // there is no other place for a message
  const { runCommandLine } = await import("./surfaces/cli/command-line.ts")
  return runCommandLine(args, {
    cwd: () => process.cwd(),
    env: process.env,
    stdin: process.stdin,
    askLine: process.stdin.isTTY && process.stderr.isTTY ? askLine : undefined,
    keyboard: process.stdin.isTTY ? process.stdin : undefined,
    stdout: process.stdout,
    stderr: process.stderr,
    onInterrupt,
    runDaemon: async (options) => (await import("./daemon/main.ts")).runDaemon(options),
    listHomes: async () => (await import("./list-homes.ts")).listHomes(process.env),
    uninstallHome: async (home, request) =>
      (await import("./daemon/uninstall.ts")).uninstallHome(home, request),
    readNames: async (home) =>
      (await import("./features/homes/read-names.ts")).readNames(home, process.env),
    readEnded: loadAndReadEnded,
    serveMcp,
    runTorture: async (options) => (await import("../torture/torture.ts")).torture(options),
  })
}

const serveMcp: Surroundings["serveMcp"] = async (options) => {
  const { serveMcp } = await import("./surfaces/mcp/serve.ts")
  const { stdin, stdout } = process
  await serveMcp({ ...options, stdin, stdout, readEnded: loadAndReadEnded })
  process.exit(0) // the client is gone, so no answer has a reader
}

function onInterrupt(stop: () => void): () => void {
  process.once(PRESSED, stop)
  for (const signal of SENT) process.on(signal, stop)
  return () => [PRESSED, ...SENT].forEach((signal) => void process.off(signal, stop))
}

/** Node runs the code that it finds there. Without a private folder, it compiles everything again. */
function keepCompiled(): void {
  try {
    process.getBuiltinModule("node:module").enableCompileCache(makeCacheFolder(process.env))
  } catch {
    // no home, a folder that others can write, or a disk that is full or read-only
  }
}

async function askLine(question: string): Promise<string> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises")
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new AbortController()
  for (const event of ["close", "SIGINT"]) terminal.once(event, () => ended.abort())
  try {
    return await terminal.question(question, { signal: ended.signal })
  } catch {
    return "" // Ctrl-C or Ctrl-D: no answer
  } finally {
    terminal.close()
  }
}

/** The reader of our output may stop reading: `coppice ls | head`. */
function endEarly(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0)
  console.error(`coppice: the output cannot be written (${error.code}).`)
  process.exit(1)
}
