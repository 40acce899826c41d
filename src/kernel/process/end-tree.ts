/**
 * Ends a process and everything that it started.
 *
 * The tree is its control group, if it has one; the process group of its leader; every process with
 * its mark in the environment; and their descendants. So a tool in a session of its own is found
 * too. Without a control group, a process can escape: it has to leave the session, hide or clear
 * its environment, and lose its parent.
 */
import { setTimeout as delay, setImmediate as soon } from "node:timers/promises"
import { killCgroup, listCgroup, removeCgroup } from "./cgroup.ts"
import { readIdentity } from "./process-identity.ts"
import { listRunning, type ProcessRow } from "./process-table.ts"

export type ProcessTree = {
  /** The leader, and the id of its process group. */
  readonly pid: number
  /**
   * The leader's identity when it was started. If the leader has ended, or another process has its
   * pid now, the group is left alone and only processes with the mark are ended. The owner of a
   * child that has just exited omits it: the group is surely still its own then.
   */
  readonly identity?: string
  readonly mark: string
  /** The folder of its control group. */
  readonly cgroup: string | null
}

const POLL_MS = 25
/** Killed processes vanish at once, unless the kernel holds them; then we can do nothing more. */
const KILL_MS_MAX = 5_000

/** Sends TERM, then KILL after `graceMs`, and returns when nothing of the tree is left. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  const known = new Map<number, string>()
  const members = await listTree(tree, known)
  if (members.length > 0) {
    signalTree(tree, members, "SIGTERM")
    if (!(await isGone(tree, known, graceMs))) await isGone(tree, known, KILL_MS_MAX, "SIGKILL")
  }
  if (tree.cgroup) removeCgroup(tree.cgroup)
}

/** Waits until the tree is gone; each round sends `again` to processes forked since. */
async function isGone(
  tree: ProcessTree,
  known: Map<number, string>,
  waitMsMax: number,
  again?: "SIGKILL",
): Promise<boolean> {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const members = await listTree(tree, known)
    if (members.length === 0) return true
    if (performance.now() >= endMs) return false
    if (again) signalTree(tree, members, again)
    await delay(POLL_MS)
  }
}

function signalTree(
  tree: ProcessTree,
  members: readonly ProcessRow[],
  signal: "SIGTERM" | "SIGKILL",
): void {
  if (tree.cgroup && signal === "SIGKILL") killCgroup(tree.cgroup)
  if (members.some(({ group }) => group === tree.pid)) send(-tree.pid, signal)
  for (const { pid, group } of members) if (group !== tree.pid) send(pid, signal)
}

let looking: Promise<readonly ProcessRow[]> | undefined

/**
 * A list of processes read after this call. Simultaneous callers share it: otherwise a fleet that
 * stops would read all processes of the machine once per child.
 */
function listProcessesNow(): Promise<readonly ProcessRow[]> {
  looking ??= soon().then(() => {
    looking = undefined
    return listRunning().filter(({ pid }) => pid !== process.pid)
  })
  return looking
}

/**
 * The living members of the tree. `known` (pid → start) remembers earlier ones, because a
 * descendant whose parent has ended can no longer be found by descent.
 */
async function listTree(tree: ProcessTree, known: Map<number, string>): Promise<ProcessRow[]> {
  const processes = await listProcessesNow()
  const inside = new Set(tree.cgroup ? listCgroup(tree.cgroup) : [])
  const ownsGroup = tree.identity === undefined || readIdentity(tree.pid) === tree.identity
  const members = processes.filter(
    (row) =>
      inside.has(row.pid) ||
      (ownsGroup && row.group === tree.pid) ||
      known.get(row.pid) === row.started ||
      row.carries(tree.mark),
  )
  const pids = new Set(members.map(({ pid }) => pid))
  for (const { pid } of members) {
    const children = processes.filter((row) => row.parent === pid && !pids.has(row.pid))
    for (const child of children) pids.add(child.pid)
    members.push(...children)
  }
  for (const { pid, started } of members) known.set(pid, started)
  return members
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process ended before the signal, or we may not signal it; the next round will see.
  }
}
