/** Tells whether a process is there. A zombie is not: it waits for a parent that may never ask. */
import { fs } from "./builtins.ts"

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" // there, and somebody else's
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  try {
    // The name in parentheses may hold anything, so look behind the last one.
    return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\)/s, ")"))
  } catch {
    return false // no /proc on this system: then we cannot tell, and believe the signal
  }
}
