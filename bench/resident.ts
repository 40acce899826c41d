/** How much memory a process holds now. */
import { readFileSync } from "node:fs"

/** VmRSS, in MiB; needs /proc. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}
