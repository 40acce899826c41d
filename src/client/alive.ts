/** Tells whether a process is there. A zombie is not: it waits for a parent that may never ask. */
import { fs } from "./builtins.ts"

/** @param identity where it is known, a later process with the same pid does not count. */
export function isAlive(pid: number, identity?: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false // else somebody else's
  }
  const fields = readStat(pid)
  if (!fields) return true // no /proc on this system: then we cannot tell, and believe the signal
  return fields[STATE] !== "Z" && (identity === undefined || identity === identityFrom(fields))
}

/** Whether somebody has stopped it (SIGSTOP, Ctrl-Z, a debugger), so that it answers nothing. */
export function isStopped(pid: number): boolean {
  const state = readStat(pid)?.[STATE]
  return state === "T" || state === "t"
}

/** What no two processes with this pid share; undefined where telling costs a process (`ps`). */
export function readIdentity(pid: number): string | undefined {
  const fields = readStat(pid)
  return fields && identityFrom(fields)
}

/** Fields of /proc/<pid>/stat behind the program's name. @see proc_pid_stat(5) */
const STATE = 0
const STARTED = 19

function readStat(pid: number): string[] | undefined {
  const stat = readFile(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, so look behind the last one.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Start times count from boot, and pids are those of our namespace: both are part of it. */
function identityFrom(fields: readonly string[]): string {
  const boot = readFile("/proc/sys/kernel/random/boot_id")?.trim()
  const namespace = fs.readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")
  return `${boot}:${namespace}:${fields[STARTED]}`
}

function readFile(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "latin1")
  } catch {
    return undefined // not on this system, or the process has gone: the caller knows what it means
  }
}
