/**
 * Descriptors that the program which started the daemon left open, as `exec 77</folder` does in a shell.
 *
 * Each program would inherit them, behind a fence too, and a folder leads to all others by `..`. Node marks
 * only the low ones as its own, and the daemon uses none of the others.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs"
import { ifExists } from "../kernel/git/start/git-dir.ts"

/** O_CLOEXEC of Linux, which Node does not name: no child inherits such a descriptor. */
const CLOSED_AT_EXEC = 0o2000000
const [STANDARD_MAX, OCTAL] = [2, 8]

/** Call it before the process opens something. Without `/proc`, as on macOS, nothing is closed. */
export function closeInherited(): void {
  for (const name of ifExists(() => readdirSync("/proc/self/fd")) ?? []) {
    const info = ifExists(() => readFileSync(`/proc/self/fdinfo/${name}`, "latin1"))
    const flags = /^flags:\s*([0-7]+)$/m.exec(info ?? "")?.[1] // none: that of the list itself
    const isInherited = flags !== undefined && !(Number.parseInt(flags, OCTAL) & CLOSED_AT_EXEC)
    if (isInherited && Number(name) > STANDARD_MAX) closeSync(Number(name))
  }
}
