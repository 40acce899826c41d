/** A child process that is recorded by its owner and ends with it. */
import type { ChildProcess } from "node:child_process"

/** A child in a process group of its own, stdio piped. */
export type OwnedChild = {
  readonly child: ChildProcess
  readonly pid: number
  /** Settles as soon as the program has exited. */
  readonly exit: Promise<ChildExit>
  /**
   * Settles when the process has exited, its left-over processes have ended and its output is read.
   */
  readonly exited: Promise<ChildExit>
  /** Ends the whole tree: TERM, then KILL after `graceMs`. Settles when nothing of it is left. */
  end(graceMs?: number): Promise<void>
}

/** How the program itself ended: exactly one of the two is not null. */
export type ChildExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** @throws {UnstartableError} when the program is missing or cannot be started. */
export type SpawnOwned = (
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Promise<OwnedChild>
