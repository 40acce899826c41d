/** Checks whether a process is alive. A zombie is not: its parent may never collect it. */
import { fs } from "./node-builtins.ts"

/** @param identity if given, a later process with the same pid does not count. */
export function isAlive(pid: number, identity?: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false // else another user's process
  }
  const fields = readStat(pid)
  if (!fields) return true // no /proc on this system: trust the signal
  return fields[STATE] !== "Z" && (identity === undefined || identity === identityFrom(fields))
}

/** Whether it is stopped (SIGSTOP, Ctrl-Z, a debugger), and so cannot answer. */
export function isStopped(pid: number): boolean {
  const state = readStat(pid)?.[STATE]
  return state === "T" || state === "t"
}

/** Distinguishes processes with the same pid; undefined if that needs another process (`ps`). */
export function findIdentity(pid: number): string | undefined {
  const fields = readStat(pid)
  return fields && identityFrom(fields)
}

/** Fields of /proc/<pid>/stat after the program's name. @see proc_pid_stat(5) */
const STATE = 0
const STARTED = 19

function readStat(pid: number): string[] | undefined {
  const stat = readFile(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, so read after the last one.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Includes boot and pid namespace: start times count from boot, and pids from our namespace. */
function identityFrom(fields: readonly string[]): string {
  const boot = readFile("/proc/sys/kernel/random/boot_id")?.trim()
  const namespace = fs.readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")
  return `${boot}:${namespace}:${fields[STARTED]}`
}

function readFile(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "latin1")
  } catch {
    return undefined // not on this system, or the process has gone; the caller knows which
  }
}
