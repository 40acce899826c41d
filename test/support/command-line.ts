/** Runs the command line in this process and keeps what it says. */

import type { DaemonOptions } from "../../src/api/wire/daemon-options.ts"
import type { StatusDocument } from "../../src/api/wire/home.ts"
import { runCommandLine } from "../../src/surfaces/cli/command-line.ts"
import type { Stream } from "../../src/surfaces/cli/output.ts"

export type CommandLine = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  /** The answers of a person at the terminal. */
  readonly answers?: readonly string[]
  /** In place of what keeps what is said. */
  readonly stdout?: Stream
  /** Called with what a Ctrl-C would do, when the command listens for one. */
  onInterrupt?(stop: () => void): void
}

export type Said = { readonly exitCode: number; readonly stdout: string; readonly stderr: string }

/** @returns the command's output, and the homes for which it ran the daemon. */
export async function commandLine(
  line: CommandLine,
  ...args: string[]
): Promise<Said & { readonly daemons: readonly DaemonOptions[] }> {
  const said = { stdout: "", stderr: "" }
  const daemons: DaemonOptions[] = []
  const exitCode = await runCommandLine(args, {
    cwd: () => line.cwd,
    env: line.env,
    stdin: pieces(line.stdin ?? ""),
    askLine: line.answers && askFrom([...line.answers], said),
    stdout: line.stdout ?? { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
    onInterrupt(stop) {
      line.onInterrupt?.(stop)
      return () => {}
    },
    async runDaemon(options) {
      daemons.push(options)
      options.onReady?.(readyDocument(options.home))
      return 0
    },
    uninstallHome: () => Promise.reject(new Error("no removal within a test's own process")),
    readNames: () => Promise.reject(new Error("no names within a test's own process")),
    keyboard: undefined,
    listHomes: () => Promise.reject(new Error("no homes within a test's own process")),
    readEnded: () => Promise.reject(new Error("no ended home within a test's own process")),
    serveMcp: () => Promise.reject(new Error("no MCP server within a test's own process")),
    runTorture: () => Promise.reject(new Error("no torture within a test's own process")),
  })
  return { exitCode, ...said, daemons }
}

function readyDocument(home: string): StatusDocument {
  const facts = { pid: 1, address: "http://127.0.0.1:1", version: "0.0.0", uptimeS: 0 }
  return {
    running: true,
    home,
    ...facts,
    tasks: {},
    maintenance: null,
    pool: null,
    schedules: null,
    sources: null,
    limits: null,
  }
}

function askFrom(answers: string[], said: { stderr: string }) {
  return async (question: string) => {
    said.stderr += question
    return answers.shift() ?? ""
  }
}

async function* pieces(text: string) {
  yield Buffer.from(text)
}
