/** Finds the folders in which processes run; a folder in use must not be removed. */
import { execFile } from "node:child_process"
import { readdir, readlink } from "node:fs/promises"
import { promisify } from "node:util"

export type WorkingFolder = { readonly pid: number; readonly cwd: string }

/** One line for each process of a busy machine, many times over. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const LSOF_MS_MAX = 20_000

/** For every process that this user may inspect, except our own. */
export async function listWorkingFolders(): Promise<WorkingFolder[]> {
  const all = process.platform === "linux" ? await listByProc() : await listByLsof()
  return all.filter(({ pid }) => pid !== process.pid)
}

async function listByProc(): Promise<WorkingFolder[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid): Promise<WorkingFolder[]> => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined) // gone, or not ours
      return cwd === undefined ? [] : [{ pid: Number(pid), cwd }]
    }),
  )
  return found.flat()
}

async function listByLsof(): Promise<WorkingFolder[]> {
  const options = { maxBuffer: OUTPUT_BYTES_MAX, timeout: LSOF_MS_MAX }
  const asked = promisify(execFile)("lsof", ["-w", "-d", "cwd", "-F", "pn"], options)
  // `lsof` exits with 1 if it could not inspect every process, but still lists the others.
  const { stdout } = await asked.catch((error: { stdout?: string }) => error)
  return parseLsof(stdout ?? "")
}

/** Reads lines of `p<pid>`, `f…` and `n<path>`. */
export function parseLsof(output: string): WorkingFolder[] {
  const found: WorkingFolder[] = []
  let pid = 0
  for (const line of output.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1))
    if (line.startsWith("n") && pid > 0) found.push({ pid, cwd: line.slice(1) })
  }
  return found
}
