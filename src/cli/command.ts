/** The shape of a subcommand: one file in commands/ is one of these. Help and docs are made from it. */
import type { Client } from "../client/client.ts"
import type { HomesDocument, TortureDocument } from "../core/wire/documents.ts"
import type { StatusDocument } from "../core/wire.ts"
import type { Output } from "./output.ts"

export type Command = {
  /** What follows the name: `<prompt>`, `[task]`. */
  readonly operands: string
  readonly options: Readonly<Record<string, Option>>
  /** More than the summary says, for its own help; whole sentences. */
  readonly details: string
  /** @returns the exit code. Errors are thrown; main.ts turns `blame` into an exit code. */
  run(shell: Shell, positionals: readonly string[], values: Values): Promise<number>
}

export type Option = {
  readonly type: "string" | "boolean"
  readonly short?: string
  /** May be given more than once. */
  readonly multiple?: boolean
  /** What stands for the value in help: `<agent>`. */
  readonly value?: string
  /** Imperative mood, no full stop. */
  readonly about: string
}

/** Options as given; what was not given is undefined. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** What a command may touch. */
export type Shell = {
  readonly output: Output
  /** `--json` was given: one document on stdout, and nothing else. */
  readonly json: boolean
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--home` as given. */
  readonly home: string | undefined
  readonly nowMs: number
  /** Finds the home. @throws HomeNotFoundError */
  connect(): Promise<Client>
  readStdin(): Promise<string>
  /** Asks the person at the terminal for a line; undefined where there is no terminal, and with `--json`. */
  readonly askLine: ((question: string) => Promise<string>) | undefined
  /** Calls `stop` instead of ending at the next Ctrl-C, SIGTERM or SIGHUP. @returns a function that takes it back. */
  onInterrupt(stop: () => void): () => void
  /** Is the daemon of a home, until it ends. The launcher brings it, so that cli knows no daemon. */
  runDaemon(start: DaemonOptions): Promise<number>
  /** Brought by the launcher likewise. */
  runTorture(options: TortureOptions): Promise<TortureDocument>
  /** Reads the tasks of all homes, and starts no daemon. Brought by the launcher likewise. */
  listHomes(): Promise<HomesDocument>
}

export type TortureOptions = {
  /** Real path of the repository, of which a clone is tortured. */
  readonly repo: string
  readonly seed: number
  /** How long it is played; coming to rest takes longer. */
  readonly seconds: number
  /** It is played until so many kills have struck, however long that takes. */
  readonly kills?: number | undefined
  /** Ends it early, with every process of it. */
  readonly signal: AbortSignal
  /** Told how it goes, a line at a time. */
  tell(line: string): void
}

export type DaemonOptions = {
  /** Real path of the home. */
  readonly home: string
  /** A command started it: it says on descriptor 3 when it is ready, and ends when idle. */
  readonly fromCommand: boolean
  /** Called once, when it listens. */
  onReady?(status: StatusDocument): void
}
