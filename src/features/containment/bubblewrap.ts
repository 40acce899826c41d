/**
 * Starts bubblewrap with a filter of system calls, which it reads from an open file.
 *
 * The file lies in the state directory, which no fence shows. Without it nothing starts.
 */
import { join } from "node:path"
import { replaceFile } from "../../api/client/make-private-folder.ts"
import type { Launch } from "../../kernel/process/fence.ts"
import { demandProgram } from "../../kernel/process/owner.ts"
import { findPlain } from "../../kernel/process/plain-file.ts"
import { BWRAP } from "./rules/containment.ts"
import { systemCallFilter } from "./rules/system-calls.ts"

/** No number of a file in a shell has two digits. */
const FILTER_FD = "9"
const START = `exec ${FILTER_FD}<"$1" && shift && exec "$@"`
/** Names of keys of the user. A sandbox has a /proc of its own, and keyrings have no namespace. */
const KEYS = ["/proc/keys", "/proc/key-users"]

/**
 * The program that is named like bubblewrap on the agent's PATH can be an agent's, so ours counts.
 *
 * @param line options of bubblewrap, and the program. @param stateDir for the filter.
 */
export function bubblewrapped(
  line: readonly string[],
  { env }: Pick<Launch, "env">,
  stateDir: string,
): Launch {
  const bwrap = demandProgram(BWRAP, process.env, "/")
  const path = writeFilter(stateDir)
  if (path === undefined) return { command: bwrap, args: line, cwd: "/", env }
  const filtered = [bwrap, "--seccomp", FILTER_FD, ...line]
  return { command: "/bin/sh", args: ["-c", START, "coppice", path, ...filtered], cwd: "/", env }
}

/** Options of bubblewrap for after its /proc. */
export const hiddenKeys = (): string[] =>
  KEYS.flatMap((path) => ["--ro-bind-try", "/dev/null", path])

function writeFilter(stateDir: string): string | undefined {
  const filter = systemCallFilter(process.arch)
  if (filter === undefined) return undefined
  const path = join(stateDir, "system-calls.bpf")
  keepWritten(path, filter)
  return path
}

/** Writes a file of ours, unless it says so already. */
export function keepWritten(path: string, content: Buffer, mode?: number): void {
  if (!findPlain(path)?.equals(content)) replaceFile(path, content, mode)
}
