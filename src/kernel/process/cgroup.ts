/**
 * Control groups: a process and its descendants stay in their group, whatever they do to their
 * session, environment or parent.
 *
 * Available on Linux with cgroup v2, where we may make groups below our own: as root, in a systemd
 * user session, in some containers. Elsewhere end-tree.ts uses process groups and marks alone.
 */
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { cgroupFolder } from "./cgroup-folder.ts"

/**
 * Makes the group `path`, relative to our own. @returns its folder, or null where that is not
 * permitted.
 */
export function makeCgroup(path: string): string | null {
  const own = findOwn()
  if (own === undefined) return null
  const folder = join(own, path)
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(join(folder, "cgroup.procs"), constants.W_OK)
    return folder
  } catch {
    return null // read-only, not ours, or too many groups: marks must do
  }
}

/** The processes of a group and of the groups below it; empty when the group is gone. */
export function listCgroup(folder: string): number[] {
  const pids = read(join(folder, "cgroup.procs")).split("\n").filter(Boolean).map(Number)
  return [...pids, ...listBelow(folder).flatMap(listCgroup)]
}

/** Kills every process of a group and below it, including those that are just being forked. */
export function killCgroup(folder: string): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1")
  } catch {
    // The group is gone, or the kernel is older than 5.14; each process is killed by its pid then.
  }
}

/** Removes a group without processes, and those below it. Safe to repeat. */
export function removeCgroup(folder: string): void {
  for (const below of listBelow(folder)) removeCgroup(below)
  try {
    rmdirSync(folder)
  } catch {
    // The group is gone, or the kernel still holds a process in it.
  }
}

function findOwn(): string | undefined {
  if (process.platform !== "linux") return undefined
  return cgroupFolder(read("/proc/self/mountinfo"), read("/proc/self/cgroup"))
}

function listBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name))
  } catch {
    return [] // gone
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return "" // gone
  }
}
