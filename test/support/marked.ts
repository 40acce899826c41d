/** The processes that a daemon of a scratch home has started, as the system sees them. */
import { readdirSync, readFileSync } from "node:fs"
import { readIdentity } from "../../src/process/identity.ts"
import { MARK_VARIABLE, readProcess } from "../../src/process/process-table.ts"

/** Pids of agents, set-ups and gates below `home`, told by their environment. Linux only. */
export function listMarked(home: string): number[] {
  return listOfHome(home).filter((pid) =>
    `\0${read(pid, "environ")}`.includes(`\0${MARK_VARIABLE}=`),
  )
}

/** Pids of everything that runs with this home folder: the daemon, and what it has started. */
export function listOfHome(home: string): number[] {
  const of = (pid: number) => `\0${read(pid, "environ")}`.includes(`\0HOME=${home}\0`)
  return listPids().filter((pid) => of(pid) && isThere(pid))
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

function listPids(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0)
}

function read(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return "" // it has ended meanwhile
  }
}
