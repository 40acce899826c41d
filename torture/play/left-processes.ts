/** The processes of a torture, told by their HOME. Only where the system tells: Linux. */
import { readdirSync, readFileSync } from "node:fs"
import { readProcess } from "../../src/process/process-table.ts"

export type LeftProcess = { readonly pid: number; readonly command: string }

/** What runs with this HOME, this process and the zombies left out. */
export function listProcessesOf(home: string): readonly LeftProcess[] {
  if (process.platform !== "linux") return []
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => `\0${read(pid, "environ")}`.includes(`\0HOME=${home}\0`))
    .filter((pid) => readProcess(pid) !== undefined)
    .map((pid) => ({ pid, command: read(pid, "cmdline").replaceAll("\0", " ").trim() }))
}

function read(pid: number, name: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1")
  } catch {
    return "" // it has ended, or is somebody else's
  }
}
