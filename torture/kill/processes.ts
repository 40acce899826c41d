/**
 * Lists the processes of a torture. Only Linux shows another process's environment.
 *
 * A daemon, its guard, its git processes and its agents are found by parent, by HOME and by the
 * mark that Coppice puts into the environment of its children.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { listRunning, type ProcessRow } from "../../src/kernel/process/process-table.ts"

export type Running = { readonly pid: number; readonly group: number; readonly command: string }
/** The processes below one daemon, by purpose. */
export type Tree = {
  readonly daemon: number
  readonly guard: readonly number[]
  /** The daemon's git processes, and the shells that start them. */
  readonly gits: readonly Running[]
  /** Agents, set-ups and gates, with all that they started. */
  readonly others: readonly Running[]
}

const GUARD = /coppice-guard/
const GIT = /^(\S*\/)?git(-\w+)? /
const MARK = "\0COPPICE_PROCESS="

/** The processes of this fleet, except this one and the commands that the user types. */
export function listProcessesOf(folder: string): readonly Running[] {
  if (process.platform !== "linux") return []
  return listRunning()
    .filter(({ pid }) => pid !== process.pid && isOf(pid, folder))
    .map(described)
}

/** The pid of the running daemon, if any. */
export function findDaemonPid(state: string): number | undefined {
  for (const name of namesIn(state)) {
    try {
      const text = readFileSync(join(state, name, "daemon.json"), "utf8")
      const { pid } = JSON.parse(text) as { pid: number }
      if (isDaemon(pid)) return pid
    } catch {
      // There is no address, or it is being written.
    }
  }
  return undefined
}

/** Everything below the daemon, and orphans that still carry our HOME. */
export function readTree(daemon: number, folder: string): Tree {
  const rows = listRunning()
  const ours = new Set([process.pid, ...below(rows, process.pid, daemon)])
  const under = new Set(below(rows, daemon))
  const found = rows
    .filter(({ pid }) => !ours.has(pid) && pid !== daemon)
    .filter(({ pid }) => under.has(pid) || isOf(pid, folder))
    .map(described)
  const isGuard = ({ command }: Running) => GUARD.test(command)
  const isMarked = ({ pid }: Running) => environmentOf(pid).includes(MARK)
  const rest = found.filter((one) => !isGuard(one))
  return {
    daemon,
    guard: found.filter(isGuard).map(({ pid }) => pid),
    gits: rest.filter((one) => under.has(one.pid) && !isMarked(one)),
    others: rest.filter((one) => !under.has(one.pid) || isMarked(one)),
  }
}

export const isGit = ({ command }: Running): boolean => GIT.test(`${command} `)

/** Pids below `root`, except those below `except`. */
function below(rows: readonly ProcessRow[], root: number, except?: number): number[] {
  const children = Map.groupBy(rows, ({ parent }) => parent)
  const found: number[] = []
  for (const open = [root]; open.length > 0; ) {
    const next = (children.get(open.pop()!) ?? []).map(({ pid }) => pid)
    const wanted = next.filter((pid) => pid !== except)
    found.push(...wanted)
    open.push(...wanted)
  }
  return found
}

const commandOf = (pid: number) => read(pid, "cmdline").replaceAll("\0", " ").trim()
const described = ({ pid, group }: ProcessRow): Running => ({
  pid,
  group,
  command: commandOf(pid),
})
const isDaemon = (pid: number) => / up --from-command /.test(commandOf(pid))
const environmentOf = (pid: number) => `\0${read(pid, "environ")}`

/** By its HOME or, if it has cleared its environment, by its working folder. */
function isOf(pid: number, folder: string): boolean {
  if (environmentOf(pid).includes(`\0HOME=${join(folder, "home")}\0`)) return true
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
  } catch {
    return false // the process has ended, or belongs to another user
  }
}

function read(pid: number, name: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1")
  } catch {
    return "" // the process has ended, or belongs to another user
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
