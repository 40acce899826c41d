/** Tells a process from a later one that was given the same pid, and one that ended from one unseen. */
import { readFileSync, readlinkSync } from "node:fs"
import { readProcess } from "./process-table.ts"

/** A process as it was recorded. */
export type Identified = { readonly pid: number; readonly identity: string }

/**
 * What no two processes with this pid share: the boot, the pid namespace and the instant at which it
 * started. Undefined when there is no such process; a zombie is none.
 */
export function readIdentity(pid: number): string | undefined {
  const row = readProcess(pid)
  return row && `${surroundings()}:${row.started}`
}

/**
 * Whether a recorded process has certainly ended. We see the processes of our own pid namespace only:
 * one of another container on this machine counts as running.
 */
export function hasEnded({ pid, identity }: Identified): boolean {
  const [boot, namespace] = identity.split(":")
  const [ourBoot, ourNamespace] = surroundings().split(":")
  if (boot === ourBoot && namespace !== ourNamespace) return false
  return readIdentity(pid) !== identity
}

/** Whether every process of this machine is in our pid namespace or below it, so that we see it. */
export function seesAllProcesses(): boolean {
  return process.platform === "linux" && namespaceId() === FIRST_NAMESPACE
}

/** The id that Linux gives to the pid namespace of the machine itself. @see include/linux/proc_ns.h */
const FIRST_NAMESPACE = "4026531836"

let ours: string | undefined

/** Start times count from boot on Linux; elsewhere `ps` gives the date and nothing is needed. */
function surroundings(): string {
  if (process.platform !== "linux") return "date:"
  const boot = () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  ours ??= `${boot()}:${namespaceId()}`
  return ours
}

const namespaceId = (): string => readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")
