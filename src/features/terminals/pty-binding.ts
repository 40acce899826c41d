/**
 * Loads node-pty's compiled code for this platform: from the package, or from the packages of a clone.
 *
 * Only the compiled code is used. Node-pty's own JavaScript finds it by a path that no bundle has.
 */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { TerminalUnavailableError } from "../../kernel/process/errors.ts"

export type PtyBinding = {
  /** Starts a program in a new pseudo terminal. @returns the terminal's other end, and the pid. */
  fork(...of: ForkArguments): { readonly fd: number; readonly pid: number }
  resize(fd: number, columns: number, rows: number): void
}

type ForkArguments = [
  file: string,
  args: readonly string[],
  /** Lines of `name=value`. */
  env: readonly string[],
  cwd: string,
  columns: number,
  rows: number,
  /** -1: our own. */
  uid: number,
  gid: number,
  isUtf8: boolean,
  /** On macOS, a program that starts `file`. */
  helper: string,
  onExit: (code: number, signal: number) => void,
]

/** @throws {TerminalUnavailableError} (world) where no compiled code fits. */
export function loadPty(): PtyBinding & { readonly helper: string } {
  const require = createRequire(import.meta.url)
  try {
    const path = findCode(require)
    const { fork, resize } = require(path) as PtyBinding
    return { fork, resize, helper: join(dirname(path), "spawn-helper") }
  } catch (cause) {
    throw new TerminalUnavailableError(cause)
  }
}

function findCode(require: NodeJS.Require): string {
  const name = `node-pty-${process.platform}-${process.arch}`
  const packed = join(import.meta.dirname, "../prebuilds", name, "pty.node")
  return existsSync(packed) ? packed : require.resolve(`@lydell/${name}/pty.node`)
}
