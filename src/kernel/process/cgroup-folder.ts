/** Finds the folder of a process's control group, from Linux's files about mounts and the process. */

/**
 * The cgroup v2 folder of the process, from its `/proc/self/mountinfo` and `/proc/self/cgroup`.
 * Undefined without cgroup v2, or where the mount does not show the process's group.
 *
 * @see https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
export function cgroupFolder(mountinfo: string, cgroup: string): string | undefined {
  const own = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  const mount = mountinfo
    .split("\n")
    .map((line) => line.split(" "))
    .find((fields) => fields[fields.indexOf("-") + 1] === "cgroup2")
  if (own === undefined || mount === undefined || mount[3] !== "/") return undefined
  if (own.includes("..")) return undefined // outside of our cgroup namespace
  return `${mount[4]}${own === "/" ? "" : own}`
}
