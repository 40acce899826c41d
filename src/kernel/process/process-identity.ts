/**
 * Distinguishes a process from a later one with the same pid, and an ended one from an invisible
 * one.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { readProcess } from "./process-table.ts"

/** A process as it was recorded. */
export type Identified = { readonly pid: number; readonly identity: string }

/**
 * Unique among processes with this pid: the boot, the pid namespace and the start time. Undefined
 * if there is no such process; a zombie does not count.
 */
export function readIdentity(pid: number): string | undefined {
  const row = readProcess(pid)
  return row && `${surroundings()}:${row.started}`
}

/**
 * Whether a recorded process has certainly ended. We only see processes of our own pid namespace,
 * so one in another container of this machine counts as running.
 */
export function hasEnded({ pid, identity }: Identified): boolean {
  const [boot, namespace] = identity.split(":")
  const [ourBoot, ourNamespace] = surroundings().split(":")
  if (boot === ourBoot && namespace !== ourNamespace) return false
  return readIdentity(pid) !== identity
}

/** Whether every process of this machine is visible: in our pid namespace or below it. */
export function seesAllProcesses(): boolean {
  return process.platform === "linux" && namespaceId() === FIRST_NAMESPACE
}

/** The id of the machine's own pid namespace on Linux. @see include/linux/proc_ns.h */
const FIRST_NAMESPACE = "4026531836"

let ours: string | undefined

/** Start times count from boot on Linux. Elsewhere `ps` gives the date, so this is empty. */
function surroundings(): string {
  if (process.platform !== "linux") return "date:"
  const boot = () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  ours ??= `${boot()}:${namespaceId()}`
  return ours
}

const namespaceId = (): string => readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")
