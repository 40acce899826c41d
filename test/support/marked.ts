/** The processes that a daemon of a scratch home has started, as the system sees them. */
import { readdirSync, readFileSync } from "node:fs"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { MARK_VARIABLE, readProcess } from "../../src/kernel/process/process-table.ts"

/** Pids of agents, set-ups and gates below `home`, told by their environment. Linux only. */
export function listMarked(home: string): number[] {
  return listWith(home, isMarked)
}

/** Pids of everything that runs with this home folder: the daemon, and what it has started. */
export function listOfHome(home: string): number[] {
  return listWith(home, () => true)
}

/**
 * Pids of processes with this home folder and without an owner: neither marked, nor the daemon's own.
 * Only pids of two looks count: in one, the parent of a process may have just ended.
 */
export function listUnowned(home: string, daemon: number): number[] {
  const look = () => {
    const unmarked = listWith(home, (environment) => !isMarked(environment))
    return unmarked.filter((pid) => pid !== daemon && !isBelow(pid, daemon))
  }
  const first = look()
  return first.length === 0 ? [] : look().filter((pid) => first.includes(pid))
}

/** The guard that would end them all if the daemon died. */
export function findGuard(daemon: number): number | undefined {
  return listPids().find(
    (pid) =>
      read(pid, "cmdline").includes("\0coppice-guard\0") && readProcess(pid)?.parent === daemon,
  )
}

/** Whether a process runs; a zombie does not. */
export const isThere = (pid: number): boolean => readIdentity(pid) !== undefined

/** Each environment is read once: in two readings a process may be two programs. */
function listWith(home: string, wanted: (environment: string) => boolean): number[] {
  const isWanted = (environment: string) =>
    environment.includes(`\0HOME=${home}\0`) && wanted(environment)
  return listPids().filter((pid) => isWanted(`\0${read(pid, "environ")}`) && isThere(pid))
}

const isMarked = (environment: string): boolean => environment.includes(`\0${MARK_VARIABLE}=`)

function isBelow(pid: number, ancestor: number): boolean {
  const parent = readProcess(pid)?.parent
  return parent === ancestor || (parent !== undefined && parent > 1 && isBelow(parent, ancestor))
}

function listPids(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0)
}

function read(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return "" // the process has ended
  }
}
