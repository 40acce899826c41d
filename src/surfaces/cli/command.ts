/** The shape of a subcommand: one file in commands/ is one of these. Help and docs are generated from it. */

import type { ReadStream } from "node:tty"
import type { Client } from "../../api/client/client.ts"
import type { DaemonOptions } from "../../api/wire/daemon-options.ts"
import type { HomesDocument } from "../../api/wire/home.ts"
import type { UninstalledHome } from "../../api/wire/shell.ts"
import type { TortureFocus } from "../../features/torture/focus.ts"
import type { TortureDocument } from "../../features/torture/wire.ts"
import type { Output } from "./output.ts"

export type Command = {
  /** Arguments after the name: `<prompt>`, `[task]`. */
  readonly operands: string
  readonly options: Readonly<Record<string, Option>>
  /** Whole sentences for its own help, after the summary. */
  readonly details: string
  /** @returns the exit code. Errors are thrown; main.ts turns `blame` into an exit code. */
  run(shell: Shell, positionals: readonly string[], values: Values): Promise<number>
}

export type Option = {
  readonly type: "string" | "boolean"
  readonly short?: string
  readonly multiple?: boolean
  /** Placeholder for the value in help: `<agent>`. */
  readonly value?: string
  /** The values that it takes, for completion. */
  readonly choices?: readonly string[]
  /** Imperative mood, no full stop. */
  readonly about: string
}

/** Options as given; an absent one is undefined. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** Everything outside itself that a command may use. */
export type Shell = {
  readonly output: Output
  /** `--json` was given: one document on stdout, and nothing else. */
  readonly json: boolean
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string | undefined
  readonly nowMs: number
  /** Finds the home and returns a client for its daemon. @throws {HomeNotFoundError} */
  connect(): Promise<Client>
  readStdin(): Promise<string>
  /** @throws {Error} as soon as there are more bytes. */
  readStdinBytes(bytesMax: number): Promise<Buffer>
  /**
   * Runs another command, and returns the lines that it prints on a terminal of this size.
   *
   * @param words its name and options. @param operands never taken for options. @throws as it does.
   */
  runCommand(words: readonly string[], operands: readonly string[]): Promise<string[]>
  /** Asks the user for a line; undefined without a terminal, and with `--json`. */
  readonly askLine: ((question: string) => Promise<string>) | undefined
  /** The keys of a terminal; undefined without one. */
  readonly keyboard: ReadStream | undefined
  /** At the next Ctrl-C, SIGTERM or SIGHUP, calls `stop` and does not exit. @returns a function that undoes this. */
  onInterrupt(stop: () => void): () => void
  /** Runs the daemon of a home until it ends. The launcher passes it in, so that cli does not import it. */
  runDaemon(start: DaemonOptions): Promise<number>
  /** Also passed in by the launcher. */
  runTorture(options: TortureOptions): Promise<TortureDocument>
  /** Serves MCP on stdin and stdout until stdin ends. Also passed in by the launcher. */
  serveMcp(options: McpOptions): Promise<void>
  /** Reads the tasks of all homes, and starts no daemon. Also passed in by the launcher. */
  listHomes(): Promise<HomesDocument>
  /** Removes Coppice from a home without a daemon. Also passed in by the launcher. */
  uninstallHome(home: string, request: { readonly isDryRun: boolean }): Promise<UninstalledHome>
}

export type McpOptions = Pick<Shell, "cwd" | "env" | "home"> & {
  /** Offers only tools that change nothing. */
  readonly readOnly: boolean
  /** Receives our own bugs; the program gets only their message. */
  onBug(error: unknown): void
}

export type TortureOptions = {
  /** Real path of the repository; torture works on a clone of it. */
  readonly repo: string
  readonly seed: number
  /** How long agents and users act; the wait for daemons to settle comes on top. */
  readonly seconds: number
  /** Runs until this many kills have happened, however long that takes. */
  readonly kills?: number | undefined
  /** A situation that occurs in half of the tasks. */
  readonly focus?: TortureFocus | undefined
  /** Ends it early, with all its processes. */
  readonly signal: AbortSignal
  /** Receives progress, one line at a time. */
  tell(line: string): void
}
