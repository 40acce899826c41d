/** Tells a process from a later one that was given the same pid. */
import { readFileSync } from "node:fs"
import { readProcess } from "./process-table.ts"

/**
 * What no two processes with this pid share: the boot and the instant at which it started.
 * Undefined when there is no such process; a zombie is none.
 */
export function readIdentity(pid: number): string | undefined {
  const row = readProcess(pid)
  return row && `${bootId()}:${row.started}`
}

let boot: string | undefined

/** Start times count from boot on Linux; elsewhere `ps` gives the date and nothing is needed. */
function bootId(): string {
  if (process.platform !== "linux") return "date"
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  return boot
}
